import * as z from 'zod'
import type {Agent} from '../agent/agent.js'
import type {ToolDeclaration} from '../models/provider.js'
import {builtin} from './builtin/index.js'
import type {ToolRegistry} from './registry.js'
import type {Tool} from './tool.js'

/** The registry over `tools`, in their order. A declaration is made once, at its first use, and the same object is given out again. */
export function createToolRegistry(tools: readonly Tool[] = builtin): ToolRegistry {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  if (byName.size < tools.length) throw new Error('Two tools have the same name.')

  const declarations = new Map<string, ToolDeclaration>()
  const declarationOf = (tool: Tool): ToolDeclaration => {
    const known = declarations.get(tool.name)
    if (known) return known
    const made = {name: tool.name, description: tool.description, inputSchema: inputSchemaOf(tool)}
    declarations.set(tool.name, made)
    return made
  }

  return {
    forAgent: (agent) => tools.filter((tool) => mayUse(agent, tool.name)).map(declarationOf),
    find: (agent, name) => (mayUse(agent, name) ? byName.get(name) : undefined),
  }
}

const mayUse = (agent: Agent, name: string): boolean => agent.tools === null || agent.tools.includes(name)

/** JSON Schema as short as it can be, for it is sent with every request: no `$schema`, no bounds that only restate the number type. */
function inputSchemaOf(tool: Tool): Record<string, unknown> {
  const {$schema: _, ...schema} = z.toJSONSchema(tool.input, {
    io: 'input',
    override: ({jsonSchema}) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
    },
  })
  return schema
}
