import {SvcError} from '../../errors.js'

/**
 * What a person typed, as an FTS5 expression: all words, phrases in double quotes, no operators. Every term is quoted, so
 * nothing in it can be taken for syntax.
 *
 * @throws SvcError `invalid-input` there is nothing to look for
 */
export function toMatch(query: string): string {
  const terms = [...query.matchAll(/"([^"]*)"|[^\s"]+/g)]
    .map((match) => match[1] ?? match[0])
    // The tokenizer drops everything else; a term of nothing else would make FTS5 match nothing at all.
    .filter((term) => /[\p{L}\p{N}]/u.test(term))
    .map((term) => `"${term.replaceAll('\0', '')}"`)
  if (terms.length > 0) return terms.join(' AND ')
  throw new SvcError('invalid-input', 'There is no word to search for.', {
    hint: 'Give at least one word or a "phrase in quotes".',
    issues: [{path: ['q'], message: 'has no letter or digit'}],
  })
}
