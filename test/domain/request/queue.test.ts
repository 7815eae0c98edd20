/** The order in which those who wait are offered what is free, against a model that looks at everybody. */

import test from 'ava'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import type { RequestedWindow } from '../../../src/domain/calendar/window.ts'
import type { Event, Recorded } from '../../../src/domain/event.ts'
import { type RequestCommand, requestDecider } from '../../../src/domain/request/decide.ts'
import type { RequestsState, Waiting } from '../../../src/domain/request/queue.ts'
import type { Grants } from '../../../src/domain/request/rank.ts'

const NOW = Date.parse('2030-05-02T06:00:00Z')
const SUTS = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(24))
const hex = (n: number): string => n.toString(16).padStart(16, '0')

/** A lab in which only who fits what matters: each request names the digits of the SUTs that fit it. */
const lab = () => {
  const free = new Set(SUTS)
  const fitting = new Map<string, readonly string[]>()
  const grants: Grants = {
    windowFor: (request, sutId) => {
      const fits = fitting.get(request.user_id) ?? []
      return free.has(sutId) && fits.includes(sutId) ? { start: NOW / 1000, end: NOW / 1000 + 900 } : undefined
    },
    mayHave: () => true,
  }
  return { free, fitting, grants }
}

const open = () => {
  let state: RequestsState = requestDecider.initial
  let revision = -1
  let number = 0
  const random = (): string => hex(number++)
  const record = (events: readonly Event[]): void => {
    for (const event of events) {
      revision += 1
      const metadata = { time: new Date(NOW).toISOString(), actor: 'somebody', role: 'tester' }
      state = requestDecider.evolve(state, { ...event, revision, metadata } as unknown as Recorded)
    }
    // Every state is the one of its snapshot, too.
    state = JSON.parse(JSON.stringify(state))
  }
  const run = (command: RequestCommand): readonly Event[] => {
    const decided = requestDecider.decide(state, command, NOW)
    if (E.isLeft(decided)) throw new Error(decided.left.detail)
    record(decided.right)
    return decided.right
  }
  return { run, random, state: () => state }
}

const steps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('make' as const),
      priority: fc.integer({ min: -1, max: 1 }),
      fits: fc.subarray(SUTS, { minLength: 1 }),
    }),
    fc.record({ kind: fc.constant('free' as const), sutIds: fc.subarray(SUTS, { minLength: 1 }) }),
    fc.record({ kind: fc.constant('end' as const), n: fc.nat(9), isGranted: fc.boolean() }),
  ),
  { maxLength: 60 },
)

test('property: a SUT is offered to nobody while another who may have it goes first', (t) => {
  fc.assert(
    fc.property(steps, (all) => {
      const { free, fitting, grants } = lab()
      const { run, random, state } = open()
      const check = (events: readonly Event[], before: readonly Waiting[]): void => {
        for (const event of events) {
          if (event.type !== 'RequestOffered') continue
          const { _id, sut_id } = event.data
          const waiting = [...before]
          const own = waiting.find((request) => request._id === _id)
          for (const other of waiting) {
            if (other._id === _id || other.offer !== undefined || own === undefined) continue
            const isBefore =
              other.priority > own.priority || (other.priority === own.priority && other.revision < own.revision)
            const hasAnother = events.some((each) => each.type === 'RequestOffered' && each.data._id === other._id)
            if (isBefore && !hasAnother) t.is(grants.windowFor(other, sut_id, NOW), undefined)
          }
        }
      }
      const take = (events: readonly Event[]): void => {
        for (const event of events) if (event.type === 'RequestOffered') free.delete(event.data.sut_id)
      }
      for (const [n, step] of all.entries()) {
        const offers = state().queue.filter(({ offer }) => offer !== undefined)
        let events: readonly Event[] = []
        if (step.kind === 'make') {
          const user_id = `user ${n}`
          fitting.set(user_id, step.fits)
          const request = { user_id, duration: 900, priority: step.priority }
          const actor = { _id: user_id, role: 'tester' } as const
          const candidates = SUTS.filter((sutId) => free.has(sutId) && step.fits.includes(sutId))
          events = run({
            ...{ type: 'MakeRequest', actor, request, candidates, grants, wait: 86_400, reachableFor: 0 },
            ...{ random: random(), reservationRandom: random() },
          })
        } else if (step.kind === 'free') {
          // One may look free that is being offered.
          for (const sutId of step.sutIds) free.add(sutId)
          events = run({ type: 'OfferSuts', sutIds: step.sutIds, grants, reachableFor: 0, random })
          const ids = events.flatMap(({ data }) => ('_id' in data ? [data._id] : []))
          t.is(new Set(ids).size, ids.length, 'nobody is offered two')
        } else {
          const request = offers[step.n % Math.max(offers.length, 1)]
          if (request?.offer === undefined) continue
          const { sut_id, sut_reservation_id } = request.offer
          const outcome = step.isGranted ? 'granted' : 'closed'
          run({ type: 'EndOffer', _id: request._id, sut_reservation_id, outcome })
          if (!step.isGranted) free.add(sut_id)
        }
        check(events, state().queue)
        take(events)
        const offered = state().queue.flatMap(({ offer }) => offer?.sut_id ?? [])
        t.is(new Set(offered).size, offered.length, 'no SUT is offered to two')
      }
    }),
    { numRuns: 200 },
  )
  t.pass()
})

const reserve = ({ run, random }: ReturnType<typeof open>, grants: Grants, window: RequestedWindow): string => {
  const request = { user_id: 'bob', duration: 900, priority: 0 }
  const events = run({
    ...{ type: 'MakeRequest', actor: { _id: 'bob', role: 'tester' }, request, candidates: SUTS.slice(0, 2) },
    ...{ window, grants, wait: 0, reachableFor: 0, random: random(), reservationRandom: random() },
  })
  return events.flatMap(({ type, data }) => (type === 'RequestOffered' ? [data.sut_id] : [])).join()
}

const FOR_NOW: RequestedWindow = { form: 'relative', startIn: 0, duration: 900 }

for (const [priority, sutId] of [
  [0, SUTS[1] ?? ''],
  [-1, SUTS[0] ?? ''],
] as const) {
  test(`a reservation of any SUT goes behind those who wait, but for lower priorities: ${priority}`, (t) => {
    const { fitting, grants } = lab()
    const stream = open()
    fitting.set('alice', SUTS.slice(0, 1))
    const request = { user_id: 'alice', duration: 900, priority }
    stream.run({
      ...{ type: 'MakeRequest', actor: { _id: 'alice', role: 'tester' }, request, candidates: [], grants },
      ...{ wait: 86_400, reachableFor: 0, random: stream.random(), reservationRandom: stream.random() },
    })
    t.is(reserve(stream, grants, FOR_NOW), sutId)
  })
}

test('a SUT that is being offered is offered again only for another time', (t) => {
  const stream = open()
  const [first = '', second = ''] = SUTS
  const nobody: Grants = { windowFor: () => undefined, mayHave: () => false }
  t.is(reserve(stream, nobody, FOR_NOW), first)
  t.is(reserve(stream, nobody, { ...FOR_NOW, startIn: 3_600 }), first)
  t.is(reserve(stream, nobody, FOR_NOW), second)
})
