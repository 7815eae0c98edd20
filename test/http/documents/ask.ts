import { createHash } from 'node:crypto'
import type { Example } from '../../../src/http/documents/openapi/openapi.ts'
import type { Code } from '../../../src/http/protocol/problem.ts'
import { CSV } from '../../../src/http/response/csv-lists.ts'
import type { Headers } from '../client.ts'
import { type Running, type Setting, start, type Tidying } from '../harness.ts'

/** How the story of the examples asks. */

const NOW = '2030-05-02T05:58:11.400Z'

/** Deterministic bytes, derived from their number and the count of earlier calls. */
const makeRandomness = () => {
  const calls = new Map<string, number>()
  const next = (what: string): Buffer => {
    const times = (calls.get(what) ?? 0) + 1
    calls.set(what, times)
    return createHash('sha256').update(`${what} ${times}`).digest()
  }
  return {
    randomHex: (bytes: number): string => next(String(bytes)).toString('hex', 0, bytes),
    randomBytes: (size: number): Uint8Array => next(`bytes ${size}`).subarray(0, size),
    begin: (): void => calls.clear(),
  }
}

interface RequestOptions {
  readonly who?: string
  /** The value of the path parameter. */
  readonly at?: string
  readonly query?: string
  readonly body?: unknown
  readonly headers?: Headers
}

export type Ask = (
  operation: string,
  name: string,
  options?: RequestOptions,
) => Promise<Readonly<Record<string, unknown>>>

/** The address of an operation with its path parameters. */
const addressOf = (operation: string, { at = '', query = '' }: RequestOptions = {}): string =>
  (operation.split(' ')[1] ?? '').replace(/:\w+/, at) + query

export const makeAsk = (service: Running, examples: Example[]): Ask => {
  return async (operation, name, options = {}) => {
    const { who = 'admin', body, headers = {} } = options
    const [method = ''] = operation.split(' ')
    const address = addressOf(operation, options)
    const client = who === '' ? service.anyone : service.as(who)
    const answer =
      body === undefined ? await client.request(method, address, headers) : await client.post(address, body, headers)
    const mediaType = String(answer.headers['content-type'])
    if (mediaType === CSV) {
      examples.push({ operation, name, mediaType, body: answer.text })
      return {}
    }
    if (mediaType !== 'application/json') {
      throw new Error(`${operation} ${answer.status}: ${answer.text}`)
    }
    const code = answer.status < 400 ? {} : { code: answer.json.code as Code }
    const request = body === undefined ? {} : { request: body }
    examples.push({ operation, name, ...request, mediaType, body: answer.json, ...code })
    return answer.json
  }
}

/** Starts a service with a fixed clock and randomness. */
const VAULT_KEY = `2030-05-02-1f3a:${Buffer.alloc(32, 7).toString('base64')}`

export const startStory = async (t: Tidying, setting: Setting = {}): Promise<Running> => {
  const { begin, ...randomness } = makeRandomness()
  // Pseudonyms of clients in the feed depend on it.
  const environment = { BERTH_VAULT_KEY: VAULT_KEY, ...setting.environment }
  const running = await start(t, { now: NOW, ...randomness, ...setting, environment })
  // The number of readiness checks must not affect the random values.
  begin()
  return running
}
