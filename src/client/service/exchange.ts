import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Target } from './credentials.ts'

/** Maximum bytes of an answer, and of a line of one. A page of a list has at most a thousand objects. */
const ANSWER_MAX = 16 * 1024 * 1024

/** One request, as it is sent. */
export interface Sent {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: object | undefined
}

/** The request did not leave as a whole, so nobody handles it. */
export class Unsent extends Error {
  readonly code: string | undefined
  constructor(cause: NodeJS.ErrnoException) {
    super(cause.message, { cause })
    this.code = cause.code
  }
}

/**
 * Sends a request, and resolves to the beginning of its answer.
 *
 * @param signal ends it, also while its answer is read
 * @throws Unsent, or an error of the system
 */
export const exchange = (target: Target, sent: Sent, signal?: AbortSignal): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { url, socketPath, authorization } = target
    const { method, path, body } = sent
    const headers = {
      accept: 'application/json',
      ...(authorization !== undefined && { authorization }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...sent.headers,
    }
    const options = { method, headers, ...(socketPath !== undefined && { socketPath }), ...(signal && { signal }) }
    const request = (url.startsWith('https:') ? requestHttps : requestHttp)(url + path, options)
    request.on('response', resolve)
    request.on('error', (error) => reject(request.writableFinished ? error : new Unsent(error)))
    request.end(body && JSON.stringify(body))
  })

/** The text of an answer. @throws when it is cut off, or is longer than any answer of Berth */
export const readText = async (response: IncomingMessage): Promise<string> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > ANSWER_MAX) throw new Error('the answer is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
