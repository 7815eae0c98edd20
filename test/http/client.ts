import { Agent, type IncomingHttpHeaders, request } from 'node:http'

/** An answer as received. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The text as a JSON object. */
  readonly json: Readonly<Record<string, unknown>>
}

export type Headers = Readonly<Record<string, string>>

/** Sends requests, adding only credentials, Host and body framing. */
export interface Client {
  readonly request: (method: string, path: string, headers?: Headers, body?: string | Uint8Array) => Promise<Answer>
  readonly get: (path: string, headers?: Headers) => Promise<Answer>
  /** Sends a value as JSON. */
  readonly post: (path: string, body: unknown, headers?: Headers) => Promise<Answer>
}

const PASSWORD = 'correct horse'

/** Every user of these tests has a password derived from the name. */
export const passwordOf = (name: string): string => `${PASSWORD} ${name}`

export const basic = (name: string, password: string = passwordOf(name)): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

/** Keep-alive connections shared by all clients of one service. */
export interface Connections {
  readonly client: (credentials: Headers) => Client
  readonly close: () => void
}

export const answerOf = (status: number, headers: IncomingHttpHeaders, text: string): Answer => ({
  status,
  headers,
  text,
  get json() {
    return JSON.parse(text) as Record<string, unknown>
  },
})

type Watch = (method: string, path: string, answer: Answer) => void
let watch: Watch = () => undefined

/** Calls `by` for every answer from now on. An error it throws rejects the request. */
export const watchAnswers = (by: Watch): void => {
  watch = by
}

export const connectTo = (port: number): Connections => {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })

  const send = (method: string, path: string, headers: Headers, body?: string | Uint8Array): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
      const options = {
        agent,
        host: '127.0.0.1',
        port,
        method,
        path,
        headers: { ...length, ...headers },
      }
      const sent = request(options, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const answer = answerOf(response.statusCode ?? 0, response.headers, Buffer.concat(chunks).toString())
          try {
            watch(method, path, answer)
            resolve(answer)
          } catch (error) {
            reject(error)
          }
        })
      })
      sent.on('error', (error: NodeJS.ErrnoException) => {
        // A server may close an idle connection just as it is used again. Any client repeats a GET then.
        const isClosedIdle = sent.reusedSocket && error.code === 'ECONNRESET' && method === 'GET'
        if (isClosedIdle) return resolve(send(method, path, headers, body))
        error.message = `${method} ${path}: ${error.message}`
        reject(error)
      })
      sent.end(body)
    })

  return {
    client: (credentials) => ({
      request: (method, path, headers = {}, body = undefined) =>
        send(method, path, { ...credentials, ...headers }, body),
      get: (path, headers = {}) => send('GET', path, { ...credentials, ...headers }),
      post: (path, body, headers = {}) => {
        const json = { 'Content-Type': 'application/json', ...credentials, ...headers }
        return send('POST', path, json, JSON.stringify(body))
      },
    }),
    close: () => agent.destroy(),
  }
}
