import {Client, type Gateway, type Message} from './gateway.js'
import {range} from './statistics.js'

/** Repeats `work` with so many workers for so long. @returns how often it was done a second */
export async function rateOf(
  workers: number,
  seconds: number,
  makeWorker: () => Promise<{work(): Promise<unknown>; close(): void}>,
): Promise<number> {
  const all = await Promise.all(range(workers).map(makeWorker))
  const started = performance.now()
  const end = started + seconds * 1000
  let done = 0
  await Promise.all(
    all.map(async ({work, close}) => {
      while (performance.now() < end) {
        await work()
        done++
      }
      close()
    }),
  )
  return done / ((performance.now() - started) / 1000)
}

/** A worker that sends this message again and again. */
export async function sender({port}: Gateway, message: Message) {
  const client = await Client.connect(port)
  return {work: () => client.send(message), close: () => client.close()}
}

interface Series {
  message: Message
  count: number
  concurrency: number
  /** Stops early after so many milliseconds. */
  atMostMs: number
}

/** @returns how many turns were made */
export async function sendMany({port}: Gateway, {message, count, concurrency, atMostMs}: Series): Promise<number> {
  const deadline = performance.now() + atMostMs
  let begun = 0
  await Promise.all(
    range(concurrency).map(async () => {
      const client = await Client.connect(port)
      while (begun < count && performance.now() < deadline) {
        begun++
        await client.send(message)
      }
      client.close()
    }),
  )
  return begun
}
