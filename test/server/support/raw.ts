import {once} from 'node:events'
import {connect, type Socket} from 'node:net'

export interface RawReply {
  status: number
  headers: Record<string, string>
  body: string
  /** Everything that came, several replies perhaps. */
  text: string
}

/** Writes the bytes to a socket and reads until the server closes it, or one whole reply is there. */
export async function rawRequest(port: number, bytes: string | Buffer, {timeoutMs = 5000} = {}): Promise<RawReply> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    socket.write(bytes)
    return await readReply(socket, timeoutMs)
  } finally {
    socket.destroy()
  }
}

export async function readReply(socket: Socket, timeoutMs = 5000): Promise<RawReply> {
  let text = ''
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, timeoutMs)
    const done = () => {
      clearTimeout(timer)
      resolve()
    }
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => {
      text += chunk
      if (isWhole(text)) done()
    })
    socket.on('error', done)
    socket.on('close', done)
  })
  return parseReply(text)
}

function isWhole(text: string): boolean {
  const {status, headers, body} = parseReply(text)
  if (status === 0 || status === 100) return false
  return headers['content-length'] !== undefined && body.length >= Number(headers['content-length'])
}

export function parseReply(text: string): RawReply {
  const final = text.replace(/^HTTP\/1\.1 100 [^\r]*\r\n\r\n/, '')
  const end = final.indexOf('\r\n\r\n')
  if (end < 0) return {status: 0, headers: {}, body: '', text}
  const [statusLine = '', ...lines] = final.slice(0, end).split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  return {status: Number(statusLine.split(' ')[1]), headers, body: final.slice(end + 4), text}
}
