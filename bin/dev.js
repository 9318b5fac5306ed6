#!/usr/bin/env node
import {start} from './start.js'

// The same program from the sources: nothing to build, new commands are found by their file, stacks point into src.
await start(
  import.meta.url,
  async () => {
    const {register} = await import('tsx/esm/api')
    register()
    return import('../src/cli.ts')
  },
  {source: true},
)
