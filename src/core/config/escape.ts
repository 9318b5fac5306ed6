/**
 * Characters that change how the text around them is shown, or that cannot be seen: controls (CR, LF, ESC), C1, marks that turn the
 * direction of writing, line separators, zero-width spaces and the byte order mark. Joiners stay: emoji and several scripts need them.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters looked for
const unsafe = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

const short: Record<string, string> = {'\n': '\\n', '\r': '\\r', '\t': '\\t'}

/** Makes them visible, `\n` and `\u001b`, so that a text stays on its line and cannot act on a terminal. */
export function escapeControls(text: string): string {
  return text.replace(unsafe, (character) => short[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
