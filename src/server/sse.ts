import {once} from 'node:events'
import type {ServerResponse} from 'node:http'
import type {StreamEvent} from './route.js'
import {secured} from './secured.js'

export interface StreamOptions {
  /** Ends the stream before its last event. */
  signal: AbortSignal
  /** Between two comments that keep proxies from closing a quiet stream. */
  heartbeatMs?: number
  /** Bytes that a slow reader may be behind before nothing more is read for it. */
  behindBytes?: number
  /** How long such a reader may take to catch up before it is cut off. */
  catchUpMs?: number
}

/**
 * Sends events until there are no more, the signal aborts or the reader falls too far behind. Whoever was cut off loses nothing:
 * events are in the store, and `Last-Event-ID` resumes after the last one that arrived.
 */
export async function sendEvents(
  res: ServerResponse,
  events: AsyncIterable<StreamEvent<unknown>>,
  {signal, heartbeatMs = 15_000, behindBytes = 1024 * 1024, catchUpMs = 5000}: StreamOptions,
): Promise<void> {
  res.writeHead(200, {...secured('text/event-stream; charset=utf-8'), 'x-accel-buffering': 'no'})
  res.flushHeaders()
  const heartbeat = setInterval(() => res.write(': still here\n\n'), heartbeatMs)
  try {
    for await (const event of events) {
      if (signal.aborted) break
      res.write(format(event))
      if (res.writableLength > behindBytes) await caughtUp(res, AbortSignal.any([signal, AbortSignal.timeout(catchUpMs)]))
    }
    res.end()
  } catch (error) {
    if (!signal.aborted) throw error
    res.end()
  } finally {
    clearInterval(heartbeat)
  }
}

/** @throws when the reader has not taken everything in time; the connection is closed then */
async function caughtUp(res: ServerResponse, signal: AbortSignal): Promise<void> {
  try {
    await once(res, 'drain', {signal})
  } catch (error) {
    res.destroy()
    throw error
  }
}

function format({id, event, data}: StreamEvent<unknown>): string {
  // JSON has no line breaks outside its escapes, so one data line holds it.
  return `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`
}
