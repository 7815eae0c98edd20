import { request } from 'node:http'
import { json } from 'node:stream/consumers'
import * as E from 'fp-ts/lib/Either.js'

/** The slowest command folds every stream of a span. */
const RESPONSE_TIMEOUT_MS = 3_600_000

/** Error codes of a socket without a listening service. */
export const NOT_LISTENING = ['ENOENT', 'ECONNREFUSED']

/** Why a command failed: no service is running, or a reason in a sentence. */
export type AskFailure = 'no service' | { readonly why: string }

/** Sends a command to the running service. */
export const askService = (path: string, command: string, input: object): Promise<E.Either<AskFailure, unknown>> => {
  const { promise, resolve } = Promise.withResolvers<E.Either<AskFailure, unknown>>()
  const fail = (error: NodeJS.ErrnoException): void => {
    const why = `the running service cannot be reached: ${error.message}`
    resolve(E.left(NOT_LISTENING.includes(error.code ?? '') ? 'no service' : { why }))
  }
  const asking = request({
    socketPath: path,
    method: 'POST',
    path: `/?${new URLSearchParams({ command })}`,
    timeout: RESPONSE_TIMEOUT_MS,
  })
  asking.on('error', fail)
  asking.on('timeout', () => asking.destroy(new Error('no response')))
  asking.on('response', async (response) => {
    try {
      const body: unknown = await json(response)
      if (response.statusCode === 200) return resolve(E.right(body))
      const isRefusal = typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string'
      resolve(E.left({ why: isRefusal ? String(body.error) : 'the response cannot be read' }))
    } catch (error) {
      fail(error as Error)
    }
  })
  asking.end(JSON.stringify(input))
  return promise
}
