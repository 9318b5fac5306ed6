const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

/** Shows a spinner on stderr while the work takes longer than 300 ms; nothing at all where no one watches. */
export async function waiting<Result>(text: string, work: Promise<Result>): Promise<Result> {
  if (!process.stderr.isTTY || process.env.TERM === 'dumb') return work
  let frame = 0
  const start = Date.now()
  const timer = setInterval(() => {
    if (Date.now() - start >= 300) process.stderr.write(`\r${frames[frame++ % frames.length]} ${text}\x1b[K`)
  }, 80)
  try {
    return await work
  } finally {
    clearInterval(timer)
    if (frame > 0) process.stderr.write('\r\x1b[K')
  }
}
