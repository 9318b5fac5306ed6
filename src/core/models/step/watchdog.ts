/** How much longer than the wait between two signs of life a provider may only say that it is still there. */
const patience = 5

export interface Watchdog {
  /** Aborts when the provider was silent too long. */
  readonly signal: AbortSignal
  /** Something came: `output` of the model, or a `sign` of life such as a ping. */
  heard(what: 'output' | 'sign'): void
  stop(): void
}

/**
 * Ours rather than the SDK's `timeout`, which starts its clock only when the response's headers are there: a server that
 * takes the request and then says nothing would hold the turn for five minutes.
 */
export function startWatchdog(timeoutMs: number): Watchdog {
  const controller = new AbortController()
  const give = () => controller.abort()
  const silence = setTimeout(give, timeoutMs)
  const fruitless = setTimeout(give, timeoutMs * patience)
  return {
    signal: controller.signal,
    heard(what) {
      silence.refresh()
      if (what === 'output') fruitless.refresh()
    },
    stop() {
      clearTimeout(silence)
      clearTimeout(fruitless)
    },
  }
}
