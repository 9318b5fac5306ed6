import type {App} from '../core/app.js'

interface Finishing {
  say(text: string): void
  /** Leaves the rest to the next process. */
  stop: AbortSignal
}

/** Finishes the turns that this process took over from dead ones, as far as nobody has to be asked. */
export async function finishTakenOver(app: App, {say, stop}: Finishing): Promise<void> {
  const [running, queued, awaiting] = await Promise.all(
    (['running', 'queued', 'awaiting-approval'] as const).map((status) => app.store.turns.list({status, limit: 1000})),
  )
  // What comes after a question in the same session may have to wait for days.
  const blocked = new Set(awaiting?.items.map(({sessionId}) => sessionId))
  const ours = [...(running?.items ?? []), ...(queued?.items ?? [])].filter(
    ({owner, sessionId}) => owner === app.engine.owner && !blocked.has(sessionId),
  )
  if (ours.length === 0) return
  say(`Finishing what another svc process left behind: ${ours.map(({id}) => id).join(', ')}`)
  try {
    await Promise.all(ours.map(({id}) => app.engine.outcome(id, stop)))
  } catch (error) {
    if (!stop.aborted) throw error
    await app.close(0)
  }
}
