import type {Measurement} from './measurement.js'
import {Client, startGateway} from './support/gateway.js'
import {newHome} from './support/homes.js'
import {startStub} from './support/stub.js'

export const requestSize: Measurement = {
  name: 'request-size',
  about: 'the request body for "ping" in a new session with the default tools',
  async run() {
    const stub = await startStub()
    const gateway = await startGateway(await newHome(stub))
    try {
      const client = await Client.connect(gateway.port)
      await client.send({message: 'ping', session: 'new'})
      client.close()
      const sent = await stub.last()
      const body = JSON.parse(sent) as {tools: unknown[]; messages: {role: string}[]}
      const system = body.messages.filter(({role}) => role === 'system')
      return [
        {what: 'whole body', value: Buffer.byteLength(sent), unit: 'bytes', target: {atMost: 6144}},
        {what: `its ${body.tools.length} tools`, value: sizeOf(body.tools), unit: 'bytes'},
        {what: 'its system prompt', value: sizeOf(system), unit: 'bytes'},
      ]
    } finally {
      await Promise.all([gateway.stop(), stub.stop()])
    }
  },
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
