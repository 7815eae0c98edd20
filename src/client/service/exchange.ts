import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Target } from './credentials.ts'

/** Maximum bytes of an answer. A page of a list has at most a thousand objects. */
const ANSWER_MAX = 16 * 1024 * 1024

/** One request, as it is sent. */
export interface Sent {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly accept?: string
  readonly body?: object
  readonly idempotencyKey?: string
  /** Further ones. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The request did not leave as a whole, so nobody handles it. */
export class Unsent extends Error {
  readonly code: string | undefined
  constructor(cause: NodeJS.ErrnoException) {
    super(cause.message, { cause })
    this.code = cause.code
  }
}

/** Calls back when a signal is aborted, or has been; the function returned ends that. */
const onAbort = (signal: AbortSignal | undefined, call: () => void): (() => void) => {
  if (signal?.aborted) call()
  signal?.addEventListener('abort', call)
  return () => signal?.removeEventListener('abort', call)
}

/** Sends a request, and resolves to the beginning of its answer. @throws Unsent, or an error of the system */
export const exchange = (target: Target, sent: Sent, signal?: AbortSignal): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { url, socketPath, authorization } = target
    const { method, path, accept = 'application/json', body, idempotencyKey, headers: more } = sent
    const headers = {
      accept,
      ...(authorization !== undefined && { authorization }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...more,
    }
    const place = { ...(socketPath !== undefined && { socketPath }), method, headers }
    const request = (url.startsWith('https:') ? requestHttps : requestHttp)(url + path, place)
    const forget = onAbort(signal, () => request.destroy(signal?.reason))
    request.on('response', (response) => {
      forget()
      resolve(response)
    })
    request.on('error', (error) => {
      forget()
      reject(request.writableFinished ? error : new Unsent(error))
    })
    request.end(body && JSON.stringify(body))
  })

/** The text of an answer. @throws when it is cut off, is longer than any answer of Berth, or the signal aborts */
export const readText = async (response: IncomingMessage, signal?: AbortSignal): Promise<string> => {
  const forget = onAbort(signal, () => response.destroy(signal?.reason))
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      size += chunk.length
      if (size > ANSWER_MAX) throw new Error('the answer is too long')
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString()
  } finally {
    forget()
  }
}

/** The lines of an answer, which may be endless, but no line. @throws when it is cut off */
export async function* linesOf(response: IncomingMessage): AsyncGenerator<string> {
  response.setEncoding('utf8')
  let rest = ''
  for await (const chunk of response as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > ANSWER_MAX) throw new Error('a line of the answer is too long')
    yield* lines.filter((line) => line !== '')
  }
  if (rest !== '') yield rest
}
