import {mkdir, mkdtemp, realpath, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import type {Agent} from '../../../src/core/agent/agent.js'
import type {App} from '../../../src/core/app.js'
import type {Page, SearchHit} from '../../../src/core/store/store.js'
import {checkInput, runTool, type ToolRun} from '../../../src/core/tools/run-tool.js'
import type {Tool, ToolContext} from '../../../src/core/tools/tool.js'

export const noon = new Date('2026-11-21T12:00:00.000Z')

export const agentWith = (tools: string[] | null): Agent => ({
  id: 'assistant',
  name: 'Assistant',
  model: null,
  fallbacks: [],
  instructions: '',
  tools,
  thinking: undefined,
  maxOutputTokens: 1000,
})

export interface TemporaryHome {
  home: string
  workspace: string
  remove(): Promise<void>
}

export async function temporaryHome(): Promise<TemporaryHome> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'svc-tools-')))
  const home = join(root, 'home')
  const workspace = join(home, 'workspace')
  await mkdir(workspace, {recursive: true})
  return {home, workspace, remove: () => rm(root, {recursive: true, force: true})}
}

/** As much of an app as the built-in tools touch. */
export function contextIn(
  home: string,
  allowedFolders: string[],
  search: (...asked: unknown[]) => Promise<Page<SearchHit>> = async () => ({items: [], nextCursor: null}),
): ToolContext {
  const app = {home, config: {sandbox: {allowedFolders}}, now: () => noon, store: {sessions: {search}}} as unknown as App
  return {app, agent: agentWith(null), turn: {} as ToolContext['turn'], callId: 'c1', signal: new AbortController().signal}
}

/** Checks the input and runs the tool, as the engine does. */
export async function use(tool: Tool, raw: unknown, context: ToolContext): Promise<ToolRun> {
  const checked = checkInput(tool, raw)
  if (!checked.ok) return {status: 'failed', output: {type: 'error-text', value: checked.message}}
  return runTool(tool, checked.input, context)
}
