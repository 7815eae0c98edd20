import test from 'ava'
import { SHARED_STORE } from '../../event-store/shared-store.ts'
import { seedOf } from '../../process/random.ts'
import { playStories } from './runs.ts'
import '../documents/fit-answers.ts'
import { isThorough, rounds } from '../../thorough.ts'

/** Outcomes that some hundred stories reach. */
const REACHED = [
  ...['create: recorded', 'create: clock_behind', 'create: forbidden', 'create: listen_ports_exhausted'],
  ...['update: recorded', 'update: stale', 'update: sut_retired', 'update: sut_not_found', 'update: clock_behind'],
  ...['tag: recorded', 'tag: 200', 'tag: stale', 'tag: sut_retired'],
  ...['retire: recorded', 'retire: 200', 'retire: sut_reserved', 'retire: stale', 'retire: clock_behind'],
  ...['monitor: recorded', 'monitor: 200', 'monitor: stale', 'monitor: sut_retired', 'monitor: forbidden'],
  ...['bind: recorded', 'bind: 200', 'bind: not_your_reservation', 'bind: reservation_over'],
  ...['bind: reservation_cancelled', 'bind: reservation_not_found', 'bind: forbidden', 'bind: clock_behind'],
  ...['keep: recorded', 'keep: 200', 'keep: not_kept_alive', 'keep: not_your_reservation', 'keep: reservation_over'],
  ...['reserve: recorded', 'reserve: reservation_conflict', 'reserve: sut_inactive', 'reserve: sut_retired'],
  ...['reserve: window_empty', 'reserve: window_over', 'reserve: window_in_the_past', 'reserve: window_too_long'],
  ...['reserve: user_not_found', 'reserve: sut_not_found', 'reserve: not_your_reservation', 'reserve: forbidden'],
  ...['reserve from now: recorded', 'reserve from now: reservation_conflict', 'reserve: clock_behind'],
  ...['reserve any: recorded', 'reserve any: no_sut_matches', 'reserve any: quota_exceeded'],
  ...['reserve series: recorded', 'reserve series: reservation_conflict', 'reserve series: quota_exceeded'],
  ...['reserve series: series_overlaps', 'reserve series: series_too_short', 'reserve series: window_too_far'],
  ...['reserve series: not_your_reservation', 'reserve series: sut_inactive', 'reserve series: window_in_the_past'],
  ...['cancel series: recorded', 'cancel series: 200', 'cancel series: not_your_reservation'],
  ...['cancel series: series_not_found', 'read series: 200', 'read series: series_not_found'],
  ...['cancel: recorded', 'cancel: 200', 'cancel: reservation_over', 'cancel: not_your_reservation'],
  ...['extend: recorded', 'extend: end_not_later', 'extend: window_too_long', 'extend: reservation_cancelled'],
  ...['shorten: recorded', 'shorten: end_not_earlier', 'shorten: end_not_later_than_now', 'shorten: 200'],
  ...['extend by: recorded', 'extend: reservation_over', 'extend: reservation_conflict', 'extend: 200'],
  ...['read SUT: 200', 'read SUT: 304', 'read reservation: 200', 'read reservation: reservation_cancelled'],
  ...['retry: repeated', 'retry: idempotency_key_reused', 'reserve: idempotency_key_reused'],
  ...['limit: recorded', 'limit: 200', 'limit: forbidden', 'reserve: quota_exceeded', 'extend: quota_exceeded'],
  ...['move the clock: forth', 'move the clock: back'],
  ...['restart: as before', 'restart: rebuilt', 'restart: swept up'],
]

/** Further rounds of stories, for outcomes that are rare. */
const MORE_MAX = 8

test('in random stories of retries, restarts and clock jumps, every answer and event matches a naive model', async (t) => {
  // A busy machine takes three times as long, a store on another machine even longer.
  t.timeout(SHARED_STORE === undefined ? 240_000 : 900_000)
  const seed = seedOf(process.env)
  // In test/long.ts there are 10,000.
  const { steps, outcomes, problems } = await playStories(t, { stories: rounds(15, 300), seed })
  t.log(`seed ${seed}: ${steps} steps`)
  t.deepEqual(problems, [], `SEED=${seed}`)
  if (!isThorough) return
  // Some outcomes are rare: a few more stories have them.
  const reached = new Set(Object.keys(outcomes))
  const unreached = (): readonly string[] => REACHED.filter((outcome) => !reached.has(outcome))
  for (let more = 1; more <= MORE_MAX && unreached().length > 0; more++) {
    const played = await playStories(t, { stories: 50, seed: seed + more })
    t.deepEqual(played.problems, [], `SEED=${seed + more}`)
    for (const outcome of Object.keys(played.outcomes)) reached.add(outcome)
  }
  t.deepEqual(unreached(), [], JSON.stringify(outcomes))
})
