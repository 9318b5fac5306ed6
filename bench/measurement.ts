import type {Row} from './support/report.js'

export interface Options {
  /** Also what takes minutes. */
  long: boolean
}

export interface Measurement {
  /** For `--only`. */
  name: string
  about: string
  run(options: Options): Promise<Row[]>
}
