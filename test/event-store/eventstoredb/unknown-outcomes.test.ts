/** Appends whose answers are lost are repeated until the outcome is known. */

import test, { type ExecutionContext } from 'ava'
import { refusalOf } from '../../http/refusals/problems.ts'
import { aReservation, createSut, reserve } from '../../http/requests.ts'
import type { AppendFault } from './protocol/switches.ts'
import { exhausted, failure } from './protocol/wire.ts'
import { aReadyService, escapedErrors, recordedOf } from './service/outage.ts'

test.after.always('no error is unhandled', (t) => t.deepEqual(escapedErrors(), []))

const KEY = { 'Idempotency-Key': 'once' }
const TYPE = 'ReservationCreated'
const isReservation: NonNullable<AppendFault['when']> = ({ types }) => types.includes(TYPE)

const aWarmService = async (t: ExecutionContext) => {
  const given = await aReadyService(t)
  const sut = await createSut(given.service.as('admin'))
  return { ...given, sut, attempt: () => reserve(given.service.as('alice'), aReservation(sut), KEY) }
}

const failures = {
  'lost three times': { how: 'lost', times: 3 },
  'lost to a forwarding timeout': { how: 'lost', failure: failure(10, 'Forwarding timeout') },
  'refused twice with RESOURCE_EXHAUSTED': { how: 'refused', failure: exhausted, times: 2 },
} satisfies Readonly<Record<string, AppendFault>>

for (const [how, fault] of Object.entries(failures) as readonly [string, AppendFault][]) {
  test(`${how === 'lost three times' ? '' : 'thorough: '}an append ${how} is repeated, recorded once and answered with 201`, async (t) => {
    const { server, attempt } = await aWarmService(t)
    const before = server.counters.appends
    server.faultAppends({ ...fault, when: isReservation })
    const made = await attempt()
    t.is(made.status, 201)
    t.is(server.counters.appends - before, 1 + (fault.times ?? 1))
    t.deepEqual(
      (await recordedOf(t, server, TYPE)).map(({ data }) => data._id),
      [made.json._id],
    )
  })
}

for (const [how, was] of [
  ['silent', 'before it was written'],
  ['lost-silent', 'after it was written'],
] as const) {
  test(`thorough: an append lost ${was} and never answered ends in 503 outcome_unknown; its retry gives the recorded result`, async (t) => {
    const { server, attempt } = await aWarmService(t)
    let isLost = true
    const when: typeof isReservation = (append) => isLost && isReservation(append)
    server.faultAppends({ how, when, times: Number.POSITIVE_INFINITY })
    const began = performance.now()
    const unknown = await attempt()
    t.deepEqual(refusalOf(unknown), [503, 'outcome_unknown'])
    const took = performance.now() - began
    t.true(took > 5_000 && took < 12_000, `${took} ms`)
    const recorded = await recordedOf(t, server, TYPE)
    t.is(recorded.length, how === 'silent' ? 0 : 1)
    isLost = false
    const made = await attempt()
    t.is(made.status, 201)
    const truth = (await recordedOf(t, server, TYPE)).map(({ data }) => data._id)
    t.deepEqual(truth, [made.json._id])
    if (how === 'lost-silent') t.is(recorded[0]?.data._id, made.json._id)
    t.deepEqual((await attempt()).text, made.text)
  })
}

test('an append that certainly was not written is 503 unavailable, not outcome_unknown', async (t) => {
  const { server, service, attempt } = await aWarmService(t)
  await service.as('alice').get('/api/sut?limit=1')
  await server.stop()
  t.deepEqual(refusalOf(await attempt()), [503, 'unavailable'])
  await server.start()
  t.is((await attempt()).status, 201)
  t.is((await recordedOf(t, server, TYPE)).length, 1)
})
