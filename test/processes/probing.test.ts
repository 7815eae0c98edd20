import { setImmediate as turn } from 'node:timers/promises'
import test from 'ava'
import fc from 'fast-check'
import type { Sut } from '../../projections/sut.ts'
import { nextInPhase } from '../../src/processes/monitoring/monitored.ts'
import { makeProbing, type Probe, type ProbingOptions } from '../../src/processes/monitoring/probing.ts'

const sut = (n: number): Sut => ({ _id: String(n) }) as Sut

const make = (probe: Probe, options: Partial<ProbingOptions> = {}) => {
  const seen = { counted: [] as string[], outcomes: [] as string[] }
  const probing = makeProbing({
    probe,
    useOf: () => undefined,
    count: async ({ _id }, probed) => {
      seen.counted.push(`${_id} ${probed?.cause}`)
    },
    onProbe: (outcome) => seen.outcomes.push(outcome),
    signal: new AbortController().signal,
    ...options,
  })
  return { ...probing, ...seen }
}

test('64 probes run at a time, and an immediate probe goes first', async (t) => {
  const running: { id: string; end: () => void }[] = []
  const { now, later } = make(
    ({ _id }) => new Promise((resolve) => running.push({ id: _id, end: () => resolve(undefined) })),
  )
  const first = Array.from({ length: 65 }, (_, n) => later(() => sut(n)))
  const checked = now(sut(65))
  await turn()
  t.is(running.length, 64)
  for (const [next, ended] of [
    ['65', first[0]],
    ['64', checked],
  ] as const) {
    const before = ended === checked ? running.at(-1) : running[0]
    before?.end()
    await ended
    await turn()
    t.is(running.at(-1)?.id, next)
  }
})

test('a probe in flight is joined, and counts once', async (t) => {
  let end = (): void => undefined
  const { now, later, counted } = make(
    () =>
      new Promise((resolve) => {
        end = () => resolve({ cause: 'refused' })
      }),
  )
  const probed = [now(sut(1)), later(() => sut(1)), now(sut(1))]
  await turn()
  end()
  const [first, ...others] = await Promise.all(probed)
  t.is(first?.cause, 'refused')
  for (const other of others) t.is(other, first)
  t.deepEqual(counted, ['1 refused'])
})

test('a probe of a previous address is not joined', async (t) => {
  const { now } = make(async ({ address }) => (address === 'former' ? { cause: 'timed_out' } : undefined))
  const [former, current] = [
    { ...sut(1), address: 'former' },
    { ...sut(1), address: 'current' },
  ]
  const [first, second] = await Promise.all([now(former), now(current)])
  t.deepEqual([first?.cause, second?.cause], ['timed_out', undefined])
})

test('a SUT in use counts as online, and nothing connects to it', async (t) => {
  const { now, counted, outcomes } = make(async () => t.fail() && undefined, { useOf: () => 'answering' })
  t.deepEqual(await now(sut(1)), { cause: undefined, milliseconds: 0 })
  t.deepEqual([counted, outcomes], [['1 undefined'], ['in_use']])
})

test('a SUT that does not answer its open session is not probed, and nothing is known of it', async (t) => {
  const { now, counted, outcomes } = make(async () => t.fail() && undefined, { useOf: () => 'unanswered' })
  t.is(await now(sut(1)), undefined)
  t.deepEqual([counted, outcomes], [['1 undefined'], ['in_use']])
})

test('a probe that could not be attempted counts as no result and frees its slot', async (t) => {
  const { now, later, counted, outcomes } = make(async () => Promise.reject(new Error('no password')))
  for (let n = 0; n < 70; n++) await t.throwsAsync(now(sut(n)), { message: 'no password' })
  await t.throwsAsync(later(() => sut(1)))
  t.deepEqual([counted, outcomes], [[], []])
})

test('each SUT has a phase of its own, and is probed once in each interval', (t) => {
  const id = fc.stringMatching(/^[0-9a-f]{24}$/)
  const interval = fc.integer({ min: 10, max: 86_400 }).map((seconds) => seconds * 1_000)
  fc.assert(
    fc.property(id, interval, fc.integer({ min: 0, max: 2 ** 45 }), (sutId, every, now) => {
      const next = nextInPhase(sutId, every, now)
      t.true(next > now && next <= now + every)
      t.true(Math.abs(nextInPhase(sutId, every, next) - next - every) < 1)
    }),
  )
  const places = Array.from({ length: 1_000 }, (_, n) =>
    nextInPhase((n * 4_294_967).toString(16).padStart(24, '0'), 60_000, 0),
  )
  for (let second = 0; second < 60; second++) {
    const inIt = places.filter((place) => Math.floor(place / 1_000) === second).length
    t.true(inIt > 10 && inIt < 25, `${inIt} of 1,000 in second ${second}`)
  }
})
