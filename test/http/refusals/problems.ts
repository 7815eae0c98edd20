import { readFileSync } from 'node:fs'
import type { Answer } from '../client.ts'

const GUIDE = readFileSync(new URL('../../../src/guide/errors.md', import.meta.url), 'utf8')

/** Every error code and its status, as the guide has them. */
export const DOCUMENTED: Readonly<Record<string, number>> = Object.fromEntries(
  [...GUIDE.matchAll(/^\| ?\[`(\w+)`\]\(\/problems\/\w+\) ?\| ?(\d{3}) ?\|/gm)].map(([, code, status]) => [
    code,
    Number(status),
  ]),
)

const MEMBERS = ['type', 'title', 'status', 'detail', 'instance', 'code']
const UUID_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const CHALLENGES = ['Basic realm="berth", charset="UTF-8"', 'Bearer']

const isSentence = (text: unknown): boolean => typeof text === 'string' && /^.{4,}\.$/su.test(text)

const locationFaults = (errors: unknown): readonly string[] => {
  if (!Array.isArray(errors) || errors.length === 0) return ['errors is not a list of problems']
  return errors.flatMap((error: Readonly<Record<string, unknown>>, i) => {
    const [where, ...rest] = Object.keys(error)
    const isLocated = ['pointer', 'parameter', 'header'].includes(where ?? '') && typeof error[where ?? ''] === 'string'
    const isPointer = where !== 'pointer' || /^#(\/[^/\s]*)*$/.test(String(error.pointer))
    const isSaid = rest.join() === 'detail' && typeof error.detail === 'string' && error.detail !== ''
    return isLocated && isPointer && isSaid ? [] : [`errors/${i} is ${JSON.stringify(error)}`]
  })
}

/** The first hundred problems are listed, and errors_count counts all. */
const countFaults = ({ errors, errors_count }: Readonly<Record<string, unknown>>): readonly string[] => {
  const named = (errors as readonly unknown[]).length
  return named === Math.min(100, Number(errors_count)) ? [] : [`${named} of ${errors_count} errors`]
}

const headerFaults = ({ status, headers }: Answer, code: string): readonly string[] => {
  const faults: string[] = []
  const expect = (holds: boolean, fault: string): void => {
    if (!holds) faults.push(fault)
  }
  const retries = status === 503 || status === 429 || code === 'idempotency_in_progress'
  expect(retries === /^[1-9]\d*$/.test(headers['retry-after'] ?? ''), `Retry-After is ${headers['retry-after']}`)
  const challenge = headers['www-authenticate']
  const isDue = status === 401 ? CHALLENGES.includes(String(challenge)) : challenge === undefined
  expect(isDue, `WWW-Authenticate is ${challenge}`)
  expect((status === 405) === (headers.allow !== undefined), `Allow is ${headers.allow}`)
  return faults
}

/**
 * Deviations from the documented form of every error: RFC 9457's members and the code, in this order, no others but the
 * helpful ones, the matching headers, and the requested media type.
 */
export const faultsOf = (answer: Answer, mediaType = 'application/json'): readonly string[] => {
  const { status, headers, text } = answer
  let problem: Readonly<Record<string, unknown>>
  try {
    problem = answer.json
  } catch {
    return [`${status} is not JSON: ${JSON.stringify(text.slice(0, 200))}`]
  }
  const code = String(problem.code)
  const faults: string[] = []
  const expect = (holds: boolean, fault: string): void => {
    if (!holds) faults.push(fault)
  }
  const more = Object.keys(problem).slice(MEMBERS.length)
  const ofConflicts = ['matching', 'conflicts', 'free_until', 'next_available', 'longest', 'extendable_until']
  const help = [
    'errors',
    'errors_count',
    ...ofConflicts,
    'used',
    'quota',
    'week',
    'cause',
    'by',
    'sut_reservation_id',
    'parts',
  ]
  expect(Object.keys(problem).slice(0, MEMBERS.length).join() === MEMBERS.join(), `members ${Object.keys(problem)}`)
  expect(more.join() === help.filter((name) => more.includes(name)).join(), `further members ${more}`)
  expect(DOCUMENTED[code] === status && problem.status === status, `${status} ${problem.status} ${code}`)
  expect(problem.type === `/problems/${code}`, `type ${problem.type}`)
  expect(typeof problem.title === 'string' && problem.title !== '', `title ${problem.title}`)
  expect(isSentence(problem.detail), `detail ${problem.detail}`)
  expect(UUID_7.test(String(problem.instance)), `instance ${problem.instance}`)
  expect(headers['x-request-id'] === problem.instance, `X-Request-Id ${headers['x-request-id']}`)
  expect(headers['content-type'] === mediaType, `Content-Type ${headers['content-type']}`)
  expect(headers['content-length'] === String(Buffer.byteLength(text)), `Content-Length ${headers['content-length']}`)
  expect((status === 422) <= more.includes('errors'), '422 without errors')
  if (more.includes('errors')) faults.push(...locationFaults(problem.errors), ...countFaults(problem))
  return [...faults, ...headerFaults(answer, code)]
}

/** The status, the code and the places of an error, which most tests compare. */
export const refusalOf = ({ status, json }: Answer): readonly unknown[] => {
  const errors = json.errors as readonly Readonly<Record<string, unknown>>[] | undefined
  return [status, json.code, ...(errors ?? []).map((error) => Object.values(error)[0])]
}
