import {stripVTControlCharacters} from 'node:util'

/** Text that a model, a provider or a web page wrote, made safe for a terminal: no escape sequences, no control characters. */
export function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is being removed
  return stripVTControlCharacters(text).replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
}

/** The same in one line, for a table cell or a heading. */
export function oneLine(text: string): string {
  return plain(text).replaceAll(/\s+/g, ' ').trim()
}
