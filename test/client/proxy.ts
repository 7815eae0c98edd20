import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Tidying } from '../http/harness.ts'

export type Handle = (req: IncomingMessage, res: ServerResponse) => void

/** Passes a request on. `answered` may keep the answer from the client. */
export const passTo =
  (port: number, answered?: (res: ServerResponse) => void): Handle =>
  (req, res) => {
    const { method, url, headers } = req
    const passed = request({ port, method, path: url, headers }, (answer) => {
      if (answered !== undefined) {
        answer.resume().on('end', () => answered(res))
        return
      }
      res.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(res)
    })
    req.pipe(passed)
  }

/** The answer is lost. */
export const breakOff = (port: number): Handle => passTo(port, (res) => res.destroy())

/** The answer is lost after its beginning. */
export const breakOffWithin = (port: number): Handle =>
  passTo(port, (res) => {
    res.writeHead(201, { 'Content-Length': 1_000 }).write('{"_id":"', () => res.destroy())
  })

export const refuse =
  (headers: Readonly<Record<string, string>> = {}) =>
  (): Handle =>
  (req, res) => {
    req.resume()
    const type = { 'Content-Type': 'application/json', ...headers }
    res.writeHead(503, type).end('{"code":"unavailable","_id":"none"}')
  }

/** Nothing is answered. */
export const neverAnswer = (): Handle => (req) => req.resume()

/** A server in front of a service that treats the first requests for what ends with a path as said, and passes others on. */
export const startProxy = async (
  t: Tidying,
  port: number,
  path: string,
  first: readonly ((port: number) => Handle)[],
) => {
  /** How many requests came for the path. */
  let count = 0
  const proxy = createServer((req, res) => {
    const handle = req.url?.endsWith(path) ? first[count++] : undefined
    ;(handle ?? passTo)(port)(req, res)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void proxy.close())
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, count: () => count }
}

/** A server with a certificate in front of a service. */
export const startSecureProxy = async (
  t: Tidying,
  port: number,
  pair: { readonly cert: Buffer; readonly key: Buffer },
  host: string,
) => {
  const proxy = createSecureServer(pair, passTo(port)).listen(0, host)
  await new Promise((resolve) => proxy.once('listening', resolve))
  t.teardown(() => void proxy.close())
  return { port: (proxy.address() as AddressInfo).port }
}
