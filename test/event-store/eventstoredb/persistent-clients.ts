import { setTimeout as delay } from 'node:timers/promises'
import type { Answer, Headers } from '../../http/client.ts'
import type { Running } from '../../http/harness.ts'
import { aReservation } from '../../http/requests.ts'
import type { Random } from '../../process/random.ts'

/** Clients that compete for windows of one SUT and retry until the outcome is known. */

const QUARTER = 900_000
const FROM = Date.parse('2030-05-03T00:00:00Z')
/** Number of contested quarters of an hour, and the longest window in quarters. */
const QUARTERS = 20
const LENGTH_MAX = 3

/** A window in quarters; the end is exclusive. */
export interface Wish {
  readonly start: number
  readonly end: number
}

/** A request and the outcome that the client saw. */
export interface RequestOutcome {
  readonly wish: Wish
  readonly how: 'made' | 'refused' | 'unknown' | 'never answered' | 'wrong'
  readonly id: string | undefined
  readonly wasCancelled: boolean
  readonly answers: readonly string[]
}

export interface Asking {
  readonly services: readonly Running[]
  readonly random: Random
  readonly sut: string
  /** Milliseconds after which a request counts as never answered. */
  readonly timeout: number
}

const TWO = 'two responses to one idempotency key'

export const timeOf = (quarter: number): string =>
  new Date(FROM + quarter * QUARTER).toISOString().replace('.000Z', '+00:00')

export const quarterOf = (time: unknown): number => (Date.parse(String(time)) - FROM) / QUARTER

/** Overlapping but distinct windows, so that a duplicate in the log is detectable. */
export const drawWishes = (random: Random, count: number): readonly Wish[] => {
  const drawn = new Map<string, Wish>()
  while (drawn.size < count) {
    const start = random.below(QUARTERS)
    const end = start + 1 + random.below(LENGTH_MAX)
    drawn.set(`${start}-${end}`, { start, end })
  }
  return [...drawn.values()]
}

/**
 * Sends a request to a random instance and retries on 503. With a key, it always retries, and sometimes sends it to a
 * second instance before the first answers. Without a key, it retries only if the request certainly was not recorded.
 */
const persist = async (
  { services, random, timeout }: Asking,
  path: string,
  body: unknown,
  key: string | undefined,
): Promise<{ readonly last: Answer; readonly answers: readonly string[] }> => {
  const headers: Headers = key === undefined ? {} : { 'Idempotency-Key': key }
  const until = performance.now() + timeout
  const answers: string[] = []
  for (;;) {
    const post = (): Promise<Answer> => random.oneOf(services).as('alice').post(path, body, headers)
    const isImpatient = key !== undefined && random.below(4) === 0
    const both = await Promise.all(isImpatient ? [post(), delay(random.below(20)).then(post)] : [post()])
    const last = both.find(({ status }) => status < 400) ?? (both[0] as Answer)
    if (both.some(({ status, text }) => status < 400 && text !== last.text)) answers.push(TWO)
    const code = last.status < 400 ? '' : String(last.json.code)
    answers.push(`${last.status} ${code}`.trim())
    const mayAskAgain = last.status === 503 && (key !== undefined || code === 'unavailable')
    if (!mayAskAgain || performance.now() > until) return { last, answers }
    await delay(5 + random.below(20))
  }
}

const howOf = ({ status, json }: Answer, answers: readonly string[]): RequestOutcome['how'] => {
  if (answers.includes(TWO)) return 'wrong'
  if (status === 201) return 'made'
  if (status === 409 && json.code === 'reservation_conflict') return 'refused'
  if (status === 503) return json.code === 'outcome_unknown' ? 'unknown' : 'never answered'
  return 'wrong'
}

/** Three of four requests have a key; one in four successful clients cancels. */
export const ask = async (asking: Asking, wish: Wish): Promise<RequestOutcome> => {
  const { random, sut } = asking
  const key = random.below(4) === 0 ? undefined : random.hex(16)
  const cancels = random.below(4) === 0
  const window = { start_time: timeOf(wish.start), end_time: timeOf(wish.end) }
  const made = await persist(asking, '/api/sut_reservation/create', aReservation(sut, window), key)
  const outcome = { wish, how: howOf(made.last, made.answers), wasCancelled: false, answers: made.answers }
  if (outcome.how === 'unknown' && key !== undefined) return { ...outcome, how: 'never answered', id: undefined }
  if (outcome.how !== 'made') return { ...outcome, id: undefined }
  const id = String(made.last.json._id)
  if (!cancels) return { ...outcome, id }
  const cancelled = await persist(asking, `${made.last.headers.location}/cancel`, {}, random.hex(16))
  const answers = [...outcome.answers, ...cancelled.answers]
  return cancelled.last.status === 200 && !cancelled.answers.includes(TWO)
    ? { ...outcome, id, wasCancelled: true, answers }
    : { ...outcome, id, how: 'wrong', answers }
}
