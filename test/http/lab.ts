/** What most tests of the wire begin with: a service with one SUT, and short ways to ask it. */

import type { ExecutionContext } from 'ava'
import type { Answer, Headers } from './client.ts'
import { idOf, type Running, type Setting, start, type Tidying } from './harness.ts'
import { faultsOf, refusalOf } from './refusals/problems.ts'
import { aReservation, createSut, NOW } from './requests.ts'
import { logOf, type Row } from './store/log-rows.ts'
import './documents/fit-answers.ts'

/** A window of the day of the tests: `06:00-06:15` in UTC, or in another offset. */
export const during = (window: string, offset = '+00:00') => {
  const [start = '', end = ''] = window.split('-')
  const at = (time: string): string => `2030-05-02T${time.length === 5 ? `${time}:00` : time}${offset}`
  return { start_time: at(start), end_time: at(end) }
}

export interface Lab extends Running {
  /** The id of the SUT. */
  readonly sut: string
  /** Sends `GET /path` or `POST /path` as a user. Bytes are sent as they are. Without a body none is sent. */
  readonly ask: (who: string, request: string, body?: unknown, headers?: Headers) => Promise<Answer>
  /** Reserves the SUT for who asks, unless the body says otherwise. */
  readonly book: (who: string, window?: string | object, more?: object, headers?: Headers) => Promise<Answer>
  /** What was recorded since the SUT was created. */
  readonly recorded: () => Promise<readonly Row[]>
}

const JSON_TYPE: Headers = { 'Content-Type': 'application/json' }

export const lab = async (
  t: Tidying,
  setting: Setting = {},
  sutFields: Readonly<Record<string, unknown>> = {},
): Promise<Lab> => {
  const service = await start(t, { now: NOW, ...setting })
  const sut = await createSut(service.as('admin'), sutFields)
  const before = (await logOf(service)).length
  const ask: Lab['ask'] = (who, request, body, headers = {}) => {
    const [method = '', path = ''] = request.split(' ')
    if (body === undefined) return service.as(who).request(method, path, headers)
    if (body instanceof Uint8Array) return service.as(who).request(method, path, { ...JSON_TYPE, ...headers }, body)
    return service.as(who).post(path, body, headers)
  }
  return {
    ...service,
    sut,
    ask,
    book: (who, window = {}, more = {}, headers = {}) => {
      const ends = typeof window === 'string' ? during(window) : window
      const isRelative = 'start_in' in ends || 'duration' in ends
      const asked = isRelative ? { sut_id: sut, ...ends } : aReservation(sut, { ...ends })
      return ask(who, 'POST /api/sut_reservation/create', { ...asked, user_id: idOf(who), ...more }, headers)
    },
    recorded: async () => (await logOf(service)).slice(before),
  }
}

/**
 * The status of an answer, and of a refusal its code and places: `422 invalid #/name`. Throws at a refusal that is not
 * in the documented form.
 */
export const said = (answer: Answer): string => {
  if (answer.status < 400) return String(answer.status)
  const faults = faultsOf(answer)
  if (faults.length > 0) throw new Error(faults.join('; '))
  return refusalOf(answer).join(' ')
}

/** Who asks, `POST /path`, what is said, and the body. */
export type Asked = readonly [who: string, request: string, answer: string, body?: unknown, headers?: Headers]

/** Asks one after the other, and compares what is said. */
export const asks = async (t: ExecutionContext, { ask }: Pick<Lab, 'ask'>, rows: readonly Asked[]): Promise<void> => {
  for (const [who, request, answer, body, headers] of rows)
    t.is(said(await ask(who, request, body, headers)), answer, `${who} ${request} ${JSON.stringify(body)}`)
}
