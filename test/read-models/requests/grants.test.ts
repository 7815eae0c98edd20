import test from 'ava'
import type { Quota } from '../../../src/domain/events/user.ts'
import type { Offer } from '../../../src/domain/matching/candidates.ts'
import type { Waiting } from '../../../src/domain/request/queue.ts'
import { makeKnownSuts } from '../../../src/read-models/matching/suts.ts'
import { makeGrants } from '../../../src/read-models/requests/grants.ts'
import { makeTally } from '../../../src/read-models/usages.ts'
import { alice, clock, idOf, SUT_ID, tester } from '../../domain/builders.ts'

const QUARTER = 900
const NOW = clock('06:05')
const seconds = (time: string): number => clock(time) / 1000

const waiting = (duration: number): Waiting => ({
  ...{ _id: idOf(1), user_id: alice, asker: tester(alice), sut_id: SUT_ID, duration, priority: 0, revision: 0 },
  expiresAt: NOW + 1,
})

interface Given {
  readonly quota: Partial<Quota>
  readonly offers: readonly Offer[]
  /** Ids of reservations of an hour from 06:00 on. */
  readonly reserved?: readonly string[]
}

/** Whether a request for an hour may be granted to a user with a quota. */
const mayHave = ({ quota, offers, reserved = [] }: Given) => {
  const usage = makeTally(seconds('06:00'))
  const hour = { start: seconds('06:00'), end: seconds('07:00'), counted: 4, is_exempt: false }
  for (const id of reserved) usage.add({ id, ended: null, internal: JSON.stringify(hour) })
  const limits = { hours_per_week: null, reservations_max: null, priority_max: null, ...quota }
  const grants = makeGrants({
    suts: makeKnownSuts(),
    personOf: () => ({ role: 'tester' }),
    useOf: () => ({ quota: limits, usage }),
  })
  return grants.mayHave(waiting(4 * QUARTER), { now: NOW, open: offers, reachableFor: 0 })
}

test('what a user is being offered counts for its quota, once', (t) => {
  const window = { start: seconds('06:00'), end: seconds('07:00'), duration: 4 * QUARTER, time: NOW }
  const offer: Offer = {
    ...window,
    startOffset: 0,
    endOffset: 0,
    user_id: alice,
    sut_id: idOf(2),
    sut_reservation_id: idOf(3),
  }
  for (const quota of [{ reservations_max: 2 }, { hours_per_week: 2 }]) {
    const isGranted = (more: Omit<Given, 'quota'>) => mayHave({ quota, ...more })
    t.true(isGranted({ offers: [offer] }))
    t.false(isGranted({ offers: [offer, { ...offer, sut_reservation_id: idOf(4) }] }))
    t.false(isGranted({ offers: [offer], reserved: [idOf(4)] }))
    t.true(isGranted({ offers: [offer], reserved: [idOf(3)] }))
    t.true(isGranted({ offers: [{ ...offer, user_id: 'another' }], reserved: [idOf(4)] }))
  }
})
