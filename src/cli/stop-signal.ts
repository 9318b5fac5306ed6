const exitCodes = {SIGINT: 130, SIGTERM: 143} as const

type StopSignal = keyof typeof exitCodes

/**
 * Resolves at the first SIGTERM or SIGINT; the second ends the process at once. A closed terminal counts as SIGTERM where a
 * person watches, and is ignored elsewhere, so that neither `nohup` nor a habit of `kill -HUP` stops a server.
 */
export function stopSignal(): Promise<StopSignal> {
  return new Promise((resolve) => {
    let stopping = false
    const stop = (signal: StopSignal) => {
      if (stopping) process.exit(exitCodes[signal])
      stopping = true
      resolve(signal)
    }
    process.on('SIGINT', stop)
    process.on('SIGTERM', stop)
    process.on('SIGHUP', () => {
      if (process.stdin.isTTY) stop('SIGTERM')
    })
  })
}
