import { setImmediate as turn } from 'node:timers/promises'
import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { makeQuotas } from '../../src/commands/quotas.ts'
import { type Failure, failure } from '../../src/domain/failure.ts'
import type { QuotaUse, Usage } from '../../src/domain/reservation/quota.ts'
import { type StorePosition, toStorePosition } from '../../src/domain/values/position.ts'
import { StoreUnavailable } from '../../src/event-store/event-store.ts'

const LIMITS = { hours_per_week: null, reservations_max: 5, priority_max: 0 }

/** A log of reservations, and views that come to what was recorded a moment later. */
const given = (
  options: { readonly isReached?: () => boolean; readonly fails?: () => boolean; readonly turnTimeout?: number } = {},
) => {
  const log = { recorded: 0, folded: 0, running: 0, most: 0 }
  const { isReached = () => true, fails = () => false, turnTimeout = 60_000 } = options
  const usage: Usage = { quartersIn: () => 0, endingAfter: () => log.folded, unfinished: () => undefined }
  const fold = async (): Promise<void> => {
    await turn()
    await turn()
    log.folded = log.recorded
  }
  const quotas = makeQuotas({
    turnTimeout,
    quotaOf: (userId) => (userId === 'alice' ? LIMITS : undefined),
    usageOf: async () => {
      if (fails()) throw new StoreUnavailable('closed')
      return usage
    },
    waitForViews: async () => {
      await fold()
      return isReached()
    },
  })
  const create = async (
    quota: QuotaUse | undefined,
  ): Promise<E.Either<Failure, { readonly storePosition: StorePosition }>> => {
    log.most = Math.max(log.most, ++log.running)
    const isFull = quota !== undefined && quota.usage.endingAfter(0) >= LIMITS.reservations_max
    await turn()
    log.running--
    return isFull ? E.left(failure('quota_exceeded', '')) : E.right({ storePosition: toStorePosition(++log.recorded) })
  }
  const createMany = async (userId: string, count: number): Promise<readonly string[]> => {
    const ended = await Promise.all(Array.from({ length: count }, () => quotas.run(userId, create)))
    return ended.map((each) => (E.isLeft(each) ? each.left.code : 'made'))
  }
  return { log, quotas, createMany }
}

const madeIn = (codes: readonly string[]): number => codes.filter((code) => code === 'made').length

test('commands of a limited user run one after the other, each on what the one before recorded', async (t) => {
  const { log, createMany } = given()
  t.is(madeIn(await createMany('alice', 20)), 5)
  t.is(log.most, 1)
})

test('while the views are behind the last command of a user the next one is refused as unavailable', async (t) => {
  let isReached = false
  const { createMany } = given({ isReached: () => isReached })
  t.deepEqual(await createMany('alice', 2), ['made', 'unavailable'])
  isReached = true
  t.deepEqual(await createMany('alice', 1), ['made'])
})

test('while reservations cannot be read a command is refused as unavailable, and the next one may run', async (t) => {
  let fails = true
  const { createMany } = given({ fails: () => fails })
  t.deepEqual(await createMany('alice', 2), ['unavailable', 'unavailable'])
  fails = false
  t.deepEqual(await createMany('alice', 1), ['made'])
})

test('behind a command that the store does not answer, those that wait are refused together, and later ones may run', async (t) => {
  const silent = Promise.withResolvers<E.Either<Failure, never>>()
  const { quotas, createMany } = given({ turnTimeout: 20 })
  const stuck = quotas.run('alice', () => silent.promise)
  t.deepEqual(await createMany('alice', 29), Array(29).fill('unavailable'))
  silent.resolve(E.left(failure('unavailable', '')))
  await stuck
  t.deepEqual(await createMany('alice', 1), ['made'])
})
