/** The least that could answer `/health`: what `svc` is compared with. Node runs this file without a loader. */
import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'

const body = Buffer.from(JSON.stringify({status: 'ok', uptime: 12.345}))

const server = createServer((_request, response) => {
  response.writeHead(200, {'content-type': 'application/json; charset=utf-8', 'content-length': body.length}).end(body)
})
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({event: 'ready', port: (server.address() as AddressInfo).port}))
})
process.stdin.on('end', () => process.exit()).resume()
