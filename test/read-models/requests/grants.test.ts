import test from 'ava'
import type { Sut, SutInternal } from '../../../projections/sut.ts'
import type { Quota } from '../../../src/domain/events/user.ts'
import type { Offer } from '../../../src/domain/matching/offer.ts'
import { type KnownWindow, putWindow, removeWindow } from '../../../src/domain/matching/openings.ts'
import type { Waiting } from '../../../src/domain/request/queue.ts'
import { findOpenOffers } from '../../../src/domain/request/rank.ts'
import { matchableOf } from '../../../src/read-models/lists/matchable.ts'
import { makeKnownSuts } from '../../../src/read-models/matching/suts.ts'
import { makeGrants } from '../../../src/read-models/requests/grants.ts'
import { makeTally } from '../../../src/read-models/tally.ts'
import { alice, clock, idOf, SUT_ID, sutValues, tester } from '../../domain/builders.ts'

/** Whether a request could be granted a SUT now, before anything is offered. */

const QUARTER = 900
const NOW = clock('06:05')
const seconds = (time: string): number => clock(time) / 1000

const waiting = (duration: number): Waiting => ({
  ...{ _id: idOf(1), user_id: alice, asker: tester(alice), sut_id: SUT_ID, duration, priority: 0, revision: 0 },
  ...{ expiresAt: NOW + 1, made: NOW, kept: 0 },
})

interface Given {
  readonly turnaround?: number
  readonly windows?: readonly KnownWindow[]
  readonly quota?: Partial<Quota>
  readonly offers?: readonly Offer[]
  /** Ids of reservations of an hour from 06:00 on. */
  readonly reserved?: readonly string[]
}

/** Whether a request for some seconds could be granted the SUT. */
const given = ({ turnaround = 0, windows = [], quota, offers = [], reserved = [] }: Given) => {
  const suts = makeKnownSuts()
  const document = { ...sutValues(), _id: SUT_ID, tags: {} } as unknown as Sut
  const internal = { status: 'online', settings: { turnaround } } as SutInternal
  suts.put(SUT_ID, matchableOf({ document, internal }))
  for (const window of windows) suts.changeWindows(SUT_ID, (known) => putWindow(known, window))
  const usage = makeTally(seconds('06:00'))
  const hour = {
    start: seconds('06:00'),
    end: seconds('07:00'),
    quarters: 4,
    isExempt: false,
  }
  for (const id of reserved) usage.add(id, hour)
  const open = findOpenOffers([])
  for (const offer of offers) open.add(offer)
  const limits = { hours_per_week: null, reservations_max: null, priority_max: null, ...quota }
  const grants = makeGrants({ suts, personOf: () => ({ role: 'tester' }), useOf: () => ({ quota: limits, usage }) })
  return {
    isGranted: (duration: number) => {
      const request = waiting(duration)
      const isFree = grants.windowFor(request, SUT_ID, NOW) !== undefined
      return isFree && grants.mayHave(request, { now: NOW, open, reachableFor: 0 }) === true
    },
    /** Cancels a reservation. */
    cancel: ({ start }: KnownWindow): void => suts.changeWindows(SUT_ID, (known) => removeWindow(known, start)),
  }
}

test('a SUT is not granted within its turnaround after a reservation, nor up to the next one', (t) => {
  const released = { start: seconds('05:00'), end: seconds('06:02'), isReleased: true }
  t.true(given({ windows: [released] }).isGranted(QUARTER))
  t.false(given({ windows: [released], turnaround: QUARTER }).isGranted(QUARTER))
  const next = { start: seconds('07:00'), end: seconds('08:00'), isReleased: false }
  t.true(given({ windows: [next], turnaround: QUARTER }).isGranted(2 * QUARTER))
  t.false(given({ windows: [next], turnaround: QUARTER }).isGranted(3 * QUARTER))
  t.true(given({ windows: [next] }).isGranted(3 * QUARTER))
})

test('what is decided again goes by the reservations that there are then', (t) => {
  const next = { start: seconds('07:00'), end: seconds('08:00'), isReleased: false }
  const { isGranted, cancel } = given({ windows: [next] })
  t.false(isGranted(4 * QUARTER))
  cancel(next)
  t.true(isGranted(4 * QUARTER))
})

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
    const isGranted = (more: Given) => given({ quota, ...more }).isGranted(4 * QUARTER)
    t.true(isGranted({ offers: [offer] }))
    t.false(isGranted({ offers: [offer, { ...offer, sut_reservation_id: idOf(4) }] }))
    t.false(isGranted({ offers: [offer], reserved: [idOf(4)] }))
    t.true(isGranted({ offers: [offer], reserved: [idOf(3)] }))
    t.true(isGranted({ offers: [{ ...offer, user_id: 'another' }], reserved: [idOf(4)] }))
  }
})
