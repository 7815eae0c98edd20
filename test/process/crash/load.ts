import type { Answer, Client } from '../../http/client.ts'
import { aSut } from '../../http/requests.ts'
import type { Random } from '../random.ts'
import type { Attempt } from './truth.ts'

export interface Target {
  readonly client: Client
  readonly suts: readonly string[]
  readonly user: string
  /** The clock of the service in Unix milliseconds, unless it is that of the machine. */
  readonly now?: number
  /** Quarters of an hour for which all contend, unless they contend for few of many. */
  readonly contended?: number
}

const QUARTER = 900_000
const DAY = 96 * QUARTER
/** Quarters from tomorrow on, well within the horizon. */
const QUARTERS = 300 * 96
/** Contended quarters. */
const HOT = 40

/** In the format of the API, so that answers can be compared directly. */
const written = (time: number): string => new Date(time).toISOString().replace('.000Z', '+00:00')

const reservation = (random: Random, { suts, user, now = Date.now(), contended }: Target): Attempt['body'] => {
  const first = random.below(contended ?? (random.below(3) === 0 ? HOT : QUARTERS))
  const start = Math.ceil(now / DAY + 1) * DAY + first * QUARTER
  return {
    sut_id: random.oneOf(suts),
    user_id: user,
    start_time: written(start),
    end_time: written(start + (1 + random.below(3)) * QUARTER),
  }
}

const attempt = (random: Random, target: Target): Attempt => {
  const key = random.below(2) === 0 ? random.hex(16) : undefined
  const dice = random.below(20)
  if (dice < 3) {
    const path = `/api/sut/${random.oneOf(target.suts)}/update`
    return { kind: 'update', path, body: { description: `changed ${random.hex(16)}` }, key }
  }
  if (dice === 3)
    return { kind: 'create', path: '/api/sut/create', body: aSut({ name: `bench ${random.hex(6)}` }), key }
  return { kind: 'reserve', path: '/api/sut_reservation/create', body: reservation(random, target), key }
}

/** Sends a request of the load and stores the answer. Rejects if there is none. */
export const send = async (client: Client, attempt: Attempt): Promise<void> => {
  const { path, body, key } = attempt
  attempt.answer = await client.post(path, body, key === undefined ? {} : { 'Idempotency-Key': key })
}

/** Sends requests over many connections until it is stopped or gets no more answers. */
export const startLoad = (target: Target, random: Random, connections: number) => {
  const attempts: Attempt[] = []
  const waiting: { matches: (answer: Answer | undefined) => boolean; resolve: () => void }[] = []
  let isStopped = false
  let answers = 0

  const next = (): Attempt => {
    const before = attempts.at(-1 - random.below(50))
    // A duplicate of a request that may still be in flight.
    return before?.key !== undefined && random.below(5) === 0
      ? { kind: before.kind, path: before.path, body: before.body, key: before.key }
      : attempt(random, target)
  }
  const ask = async (): Promise<void> => {
    while (!isStopped) {
      const request = next()
      attempts.push(request)
      try {
        await send(target.client, request)
      } catch {
        return
      }
      answers++
      for (const { matches, resolve } of waiting) if (matches(request.answer)) resolve()
    }
  }
  const ended = Promise.all(Array.from({ length: connections }, ask)).then(() => undefined)
  const until = (matches: (answer: Answer | undefined) => boolean): Promise<void> =>
    Promise.race([ended, new Promise<void>((resolve) => waiting.push({ matches, resolve }))])
  return {
    attempts: attempts as readonly Attempt[],
    /** Resolves after this many answers, or when the load ends. */
    answered: (count: number) => until(() => answers >= count),
    /** Resolves at the next answer with this status, or when the load ends. */
    answeredWith: (status: number) => until((answer) => answer?.status === status),
    /** Stops sending new requests. */
    stop: (): void => {
      isStopped = true
    },
    /** Resolves when the last request of every connection has ended, answered or not. */
    ended,
  }
}

export type Load = ReturnType<typeof startLoad>
