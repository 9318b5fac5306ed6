/** Why a running turn was told to stop; the reason of its abort signal. */
export class Stop extends Error {
  override readonly name = 'Stop'
  readonly why: 'cancel' | 'shutdown' | 'deadline' | 'lost'

  constructor(why: Stop['why']) {
    super(`Stopped: ${why}.`)
    this.why = why
  }
}
