import type {Tool} from '../tool.js'
import {find} from './find.js'
import {list} from './list.js'
import {read} from './read.js'
import {recall} from './recall.js'
import {remember} from './remember.js'
import {searchHistory} from './search-history.js'
import {time} from './time.js'

/** Every built-in tool, in the order in which models see them. */
export const builtin: readonly Tool[] = [time, remember, recall, searchHistory, read, list, find]
