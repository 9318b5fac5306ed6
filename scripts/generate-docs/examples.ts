/** One exchange with an endpoint, as curl sends it and the server answers it. The generator checks both against the schemas. */
export interface Example {
  /** Path and query as sent, when they are not the declared path. */
  target?: string
  headers?: string[]
  body?: unknown
  /** 200 when it is not said. */
  status?: number
  /** A problem for a status that is no declared reply; text for a stream. */
  reply: unknown
}

const notice = '…'

const model = {id: 'offline/assistant', alias: null, provider: 'offline'}

const status = {
  status: 'ok',
  version: '0.1.0',
  uptime: 2.586,
  startedAt: '2026-11-21T05:39:57.013Z',
  agent: {id: 'assistant', name: 'Assistant'},
  model,
  cronJobs: [],
  lastMessage: {
    role: 'assistant',
    channel: 'gateway',
    sessionId: 'main',
    text: 'Noted in 2026-11-21.md: 2026-11-21 05:39 the spare key is under the blue pot\n\nThis is the offline model, a small set of rules. To connect a…',
    at: '2026-11-21T05:39:59.589Z',
  },
  turns: {running: 0, queued: 0, awaiting: 0},
}

const turn = {
  id: 'turn_mwpzb0f2e3421ed9de85e1c9492b',
  sessionId: 'main',
  agentId: 'assistant',
  channel: 'gateway',
  status: 'completed',
  model: 'offline/assistant',
  message: 'remember that the spare key is under the blue pot',
  reply: `Noted in 2026-11-21.md: 2026-11-21 05:39 the spare key is under the blue pot${notice}`,
  approvals: [],
  createdAt: '2026-11-21T05:39:59.582Z',
  startedAt: '2026-11-21T05:39:59.582Z',
  finishedAt: '2026-11-21T05:39:59.589Z',
  error: null,
  usage: {inputTokens: 0, outputTokens: 0, cachedTokens: 0, costUsd: 0},
}

const problem = (code: string, title: string, status: number, detail: string, hint?: string) => ({
  type: `urn:svc:problem:${code}`,
  title,
  status,
  detail,
  code,
  ...(hint !== undefined && {hint}),
})

/** By operation id. Taken from a running gateway; long replies end in `…` here. An endpoint without one fails the generator. */
export const examples: Record<string, Example> = {
  getHealth: {reply: {status: 'ok', uptime: 2.527}},
  getStatus: {reply: status},
  postMessage: {
    body: {message: 'what time is it in Oslo?'},
    reply: {
      reply: `It is Saturday, 21 November 2026, 06:39 (Europe/Oslo).${notice}`,
      turnId: 'turn_mwpzb0cu563aae8f6a4909dd2e83',
      sessionId: 'main',
      model: 'offline/assistant',
      status: 'completed',
      toolCalls: [{name: 'time', status: 'done'}],
      usage: {inputTokens: 0, outputTokens: 0, cachedTokens: 0, costUsd: 0},
      durationMs: 56,
    },
  },
  postModel: {body: {model: 'offline/assistant'}, reply: {model, previous: model}},
  postReload: {
    reply: {
      reloaded: false,
      restartRequired: true,
      changed: ['gateway.port'],
      detail: 'Nothing was reloaded. A restart would pick up gateway.port.',
    },
  },
  runCronJob: {
    target: '/cron/nightly/run',
    status: 404,
    reply: problem(
      'not-found',
      'Not found',
      404,
      'There is no cron job nightly.',
      'This home has no cron jobs; GET /status lists them.',
    ),
  },
  dashboardStatus: {reply: status},
  getModel: {reply: {model}},
  switchModel: {body: {model: 'offline/assistant'}, reply: {model, previous: model}},
  listTurns: {target: '/api/dashboard/turns?limit=1&status=completed', reply: {items: [turn], nextCursor: '2'}},
  getTurn: {
    target: `/api/dashboard/turns/${turn.id}`,
    reply: {
      ...turn,
      calls: [
        {
          id: 'call_mwpzb0f5405f5522b173ab820680',
          step: 1,
          name: 'remember',
          input: {text: 'the spare key is under the blue pot'},
          status: 'done',
          approvalId: null,
          output: {
            type: 'json',
            value: {remembered: '2026-11-21 05:39 the spare key is under the blue pot', file: '2026-11-21.md'},
          },
          finishedAt: '2026-11-21T05:39:59.588Z',
        },
      ],
      events: 5,
    },
  },
  listTurnEvents: {
    target: `/api/dashboard/turns/${turn.id}/events`,
    headers: ['last-event-id: 4'],
    reply: `id: 5
event: turn.completed
data: {"type":"turn.completed","reply":"Noted in 2026-11-21.md: …","usage":{"inputTokens":0,"outputTokens":0,"cachedTokens":0,"costUsd":0},"model":"offline/assistant","id":10,"seq":5,"turnId":"${turn.id}","sessionId":"main","at":"2026-11-21T05:39:59.589Z"}`,
  },
  cancelTurn: {
    target: `/api/dashboard/turns/${turn.id}/cancel`,
    status: 409,
    reply: problem('conflict', 'Conflict', 409, `Turn ${turn.id} is completed already.`),
  },
  search: {
    target: '/api/dashboard/search?q=spare+key&limit=1',
    reply: {
      items: [
        {
          sessionId: 'main',
          sessionTitle: 'what time is it in Oslo?',
          turnId: turn.id,
          messageId: 8,
          role: 'assistant',
          snippet: '…2026-11-21 05:39 the [spare] [key] is under the blue pot\n\nThis is the…',
          at: '2026-11-21T05:39:59.589Z',
        },
      ],
      nextCursor: '8',
    },
  },
  getOpenapi: {
    reply: {openapi: '3.1.0', info: {title: 'svc', version: '0.1.0'}, paths: {'/health': {get: {operationId: 'getHealth'}}}},
  },
}
