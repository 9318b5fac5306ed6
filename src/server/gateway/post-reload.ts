import {isDeepStrictEqual} from 'node:util'
import {z} from 'zod'
import {loadConfig} from '../../core/config/load.js'
import type {Config} from '../../core/config/schema.js'
import {ok, route} from '../route.js'

export default route({
  method: 'POST',
  path: '/reload',
  summary: 'Say what a restart would pick up from the configuration; nothing is reloaded',
  auth: 'none',
  replies: {
    200: z.object({
      reloaded: z.literal(false),
      restartRequired: z.literal(true),
      changed: z.array(z.string()).describe('Keys such as `gateway.port`'),
      detail: z.string(),
    }),
  },
  failures: ['bad-config'],
  handle: async ({app}) => {
    const {config} = await loadConfig({home: app.home, env: process.env})
    const changed = differingKeys(app.config, config)
    const detail =
      changed.length === 0
        ? 'The configuration on disk is the one in use.'
        : `Nothing was reloaded. A restart would pick up ${changed.join(', ')}.`
    return ok({reloaded: false as const, restartRequired: true as const, changed, detail})
  },
})

/** `section.key` of everything that differs; values stay out of it, for some are secrets. */
function differingKeys(loaded: Config, onDisk: Config): string[] {
  const sections = Object.keys(onDisk) as (keyof Config)[]
  return sections.flatMap((section) => {
    const before: Record<string, unknown> = loaded[section]
    const after: Record<string, unknown> = onDisk[section]
    const keys = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...keys].filter((key) => !isDeepStrictEqual(before[key], after[key])).map((key) => `${section}.${key}`)
  })
}
