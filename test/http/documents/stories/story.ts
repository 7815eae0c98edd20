import { createHash } from 'node:crypto'
import type { Example } from '../../../../src/http/documents/openapi/examples.ts'
import type { Code } from '../../../../src/http/protocol/problem.ts'
import type { Answer, Headers } from '../../client.ts'
import { type Running, type Setting, start, type Tidying } from '../../harness.ts'

/** What all stories are told with. */

export const NOW = '2030-05-02T05:58:11.400Z'

/** The same bytes in every telling, by how many are asked for and how often they were before. */
export const makeRandomness = () => {
  const asked = new Map<number, number>()
  const randomHex = (bytes: number): string => {
    const times = (asked.get(bytes) ?? 0) + 1
    asked.set(bytes, times)
    return createHash('sha256')
      .update(`${bytes} ${times}`)
      .digest('hex')
      .slice(0, 2 * bytes)
  }
  return { randomHex, begin: (): void => asked.clear() }
}

export interface Asked {
  readonly who?: string
  /** What stands for the parameter of the path. */
  readonly at?: string
  readonly query?: string
  readonly body?: unknown
  /** A body that is sent as it is. */
  readonly text?: string
  readonly headers?: Headers
}

export type Ask = (operation: string, name: string, asked?: Asked) => Promise<Readonly<Record<string, unknown>>>

/** Keeps a refusal as an example. */
export const keepRefusal = (told: Example[], operation: string, name: string, answer: Answer | undefined): void => {
  if (answer === undefined || answer.status < 400) throw new Error(`${name}: ${answer?.status} ${answer?.text}`)
  told.push({ operation, name, mediaType: 'application/json', body: answer.json, code: answer.json.code as Code })
}

/** The address of an operation whose parameter is given. */
export const addressOf = (operation: string, { at = '', query = '' }: Asked = {}): string =>
  (operation.split(' ')[1] ?? '').replace(/:\w+/, at) + query

export const makeAsk = (service: Running, told: Example[]): Ask => {
  return async (operation, name, asked = {}) => {
    const { who = 'admin', body, text, headers = {} } = asked
    const [method = ''] = operation.split(' ')
    const address = addressOf(operation, asked)
    const client = who === '' ? service.anyone : service.as(who)
    const answer =
      body === undefined
        ? await client.request(method, address, headers, text)
        : await client.post(address, body, headers)
    if (answer.headers['content-type'] !== 'application/json') {
      throw new Error(`${operation} ${answer.status}: ${answer.text}`)
    }
    const code = answer.status < 400 ? {} : { code: answer.json.code as Code }
    const request = body === undefined ? {} : { request: body }
    told.push({ operation, name, ...request, mediaType: 'application/json', body: answer.json, ...code })
    return answer.json
  }
}

/** Starts a service of a story: the same clock and the same randomness in every telling. */
export const startStory = async (t: Tidying, setting: Setting = {}): Promise<Running> => {
  const { randomHex, begin } = makeRandomness()
  const running = await start(t, { now: NOW, randomHex, ...setting })
  // How often it was asked whether it is ready is no part of the story.
  begin()
  return running
}
