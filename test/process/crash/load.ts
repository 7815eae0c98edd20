import type { Answer, Client } from '../../http/client.ts'
import { aSut } from '../../http/requests.ts'
import type { Random } from '../random.ts'
import type { Attempt } from './truth.ts'

export interface Target {
  readonly client: Client
  readonly suts: readonly string[]
  readonly user: string
}

const QUARTER = 900_000
/** Quarters from tomorrow on, well within the horizon. */
const QUARTERS = 300 * 96
/** Quarters that many want. */
const HOT = 40

const DAY = Math.ceil(Date.now() / 86_400_000 + 1) * 86_400_000

/** As the interface writes it, so that answers can be compared as they are. */
const written = (time: number): string => new Date(time).toISOString().replace('.000Z', '+00:00')

const reservation = (random: Random, { suts, user }: Target): Attempt['body'] => {
  const first = random.below(3) === 0 ? random.below(HOT) : random.below(QUARTERS)
  const start = DAY + first * QUARTER
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

/** Sends a request of the load and keeps the answer. Rejects when none comes. */
export const send = async (client: Client, attempt: Attempt): Promise<void> => {
  const { path, body, key } = attempt
  attempt.answer = await client.post(path, body, key === undefined ? {} : { 'Idempotency-Key': key })
}

export interface Load {
  readonly attempts: readonly Attempt[]
  /** Resolves when so many answers have come, or the load has ended before. */
  readonly answered: (count: number) => Promise<void>
  /** Resolves with the first answer of a status that comes from now on, or when the load has ended. */
  readonly answeredWith: (status: number) => Promise<void>
  /** Sends nothing new. */
  readonly stop: () => void
  /** When every connection has ended its last request, one way or the other. */
  readonly ended: Promise<void>
}

/** Asks and asks over many connections until it is stopped or nobody answers any more. */
export const startLoad = (target: Target, random: Random, connections: number): Load => {
  const attempts: Attempt[] = []
  const waiting: { isSo: (answer: Answer | undefined) => boolean; resolve: () => void }[] = []
  let isStopped = false
  let answers = 0

  const next = (): Attempt => {
    const before = attempts.at(-1 - random.below(50))
    // Twins: the same request once more, be the first under way or answered.
    return before?.key !== undefined && random.below(5) === 0
      ? { kind: before.kind, path: before.path, body: before.body, key: before.key }
      : attempt(random, target)
  }
  const ask = async (): Promise<void> => {
    while (!isStopped) {
      const asked = next()
      attempts.push(asked)
      try {
        await send(target.client, asked)
      } catch {
        return
      }
      answers++
      for (const { isSo, resolve } of waiting) if (isSo(asked.answer)) resolve()
    }
  }
  const ended = Promise.all(Array.from({ length: connections }, ask)).then(() => undefined)
  const until = (isSo: (answer: Answer | undefined) => boolean): Promise<void> =>
    Promise.race([ended, new Promise<void>((resolve) => waiting.push({ isSo, resolve }))])
  return {
    attempts,
    answered: (count) => until(() => answers >= count),
    answeredWith: (status) => until((answer) => answer?.status === status),
    stop: () => {
      isStopped = true
    },
    ended,
  }
}
