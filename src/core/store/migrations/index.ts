import start from './0001-start.js'

/** In order; the place in the list is the schema version. Forward only: a landed migration is never edited. */
export const migrations: readonly string[] = [start]
