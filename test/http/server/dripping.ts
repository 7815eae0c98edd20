import { connect, type Socket } from 'node:net'
import { openRaw, type RawAnswer } from './raw-http.ts'

export const request = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: berth\r\n\r\n`

/** Sends a byte every few milliseconds until cut off. Returns the answer, after the given number of earlier ones. */
export const drip = async (port: number, start: string, bytes: string, others = 0): Promise<RawAnswer | undefined> => {
  const connection = await openRaw(port)
  connection.send(start)
  for (let i = 0; i < others; i++) await connection.answer()
  let sent = 0
  const timer = setInterval(() => connection.send(bytes[sent++ % bytes.length] as string), 20)
  try {
    const answer = await connection.answer()
    await connection.ended()
    return answer
  } finally {
    clearInterval(timer)
    connection.close()
  }
}

export const BODY = 'POST / HTTP/1.1\r\nHost: berth\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n'

export const open = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.on('error', reject)
    socket.once('connect', () => resolve(socket))
  })
