/** What is sent, in which order, whatever the receiver answers and when. */

import { setImmediate as turn } from 'node:timers/promises'
import test from 'ava'
import fc from 'fast-check'
import { toPublicPosition } from '../../../src/domain/values/position.ts'
import type { FeedEntry } from '../../../src/feed/events/entry.ts'
import { makeDelivery } from '../../../src/processes/webhooks/delivery.ts'
import type { Sent } from '../../../src/processes/webhooks/send.ts'
import { rounds } from '../../thorough.ts'

const TOGETHER = 64

/** Deliveries from a log of events, each of the SUT of its name, on a clock of the test. */
const stage = (log: readonly string[], failing: (position: number, attempt: number) => boolean = () => false) => {
  let [now, reads, maySend, delivered] = [0, 0, true, 0]
  const sent: { readonly position: number; readonly sut: string; readonly answer: () => void }[] = []
  const underWay = new Set<(typeof sent)[number]>()
  const entries = log.map((sutId, n) => ({ position: toPublicPosition(n), sutId }) as FeedEntry)
  const delivery = makeDelivery({
    after: toPublicPosition(-1),
    readAfter: async (position) => {
      reads++
      return entries.slice(position + 1, position + 1 + TOGETHER)
    },
    isWanted: ({ sutId }) => sutId !== 'unwanted',
    send: ({ position, sutId = '' }, attempt) => {
      const { promise, resolve } = Promise.withResolvers<Sent>()
      const failure = failing(position, attempt) ? { failure: { cause: 'reset' } as const } : {}
      const one = {
        position,
        sut: sutId,
        answer: () => {
          underWay.delete(one)
          resolve({ milliseconds: 1, ...failure })
        },
      }
      sent.push(one)
      underWay.add(one)
      return promise
    },
    maySend: () => maySend,
    sinceBoot: () => now,
    onDelivered: () => {
      delivered++
    },
    onError: (error) => {
      throw error
    },
  })
  return {
    ...{ delivery, sent, underWay },
    reads: () => reads,
    delivered: () => delivered,
    allow: (may: boolean) => {
      maySend = may
    },
    pass: (milliseconds: number) => {
      now += milliseconds
      delivery.act()
    },
    settle: async () => {
      for (let n = 0; n < 8; n++) await turn()
    },
  }
}

test('property: each wanted event is delivered once where none fails, in order for each SUT, at most 16 at once', async (t) => {
  const suts = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'unwanted', ...'efghijklmnopqrstuv'), { maxLength: 300 })
  const property = fc.asyncProperty(suts, fc.infiniteStream(fc.nat(15)), fc.boolean(), async (log, picks, fails) => {
    const { delivery, sent, underWay, settle, pass } = stage(
      log,
      (position, attempt) => fails && position % 7 === 3 && attempt < 3,
    )
    delivery.act()
    for (let n = 0; n < 2_000; n++) {
      await settle()
      t.true(underWay.size <= 16)
      t.is(new Set([...underWay].map(({ sut }) => sut)).size, underWay.size)
      if (underWay.size === 0 && delivery.position() === log.length - 1) break
      if (underWay.size === 0) pass(60_000)
      else [...underWay][(picks.next().value as number) % underWay.size]?.answer()
    }
    const wanted = log.flatMap((sut, n) => (sut === 'unwanted' ? [] : [n]))
    t.deepEqual(
      [...new Set(sent.map(({ position }) => position))].toSorted((a, b) => a - b),
      wanted,
    )
    for (const own of Map.groupBy(sent, ({ sut }) => sut).values()) {
      const positions = own.map(({ position }) => position)
      t.deepEqual(
        positions,
        positions.toSorted((a, b) => a - b),
      )
    }
    if (!fails) t.is(sent.length, wanted.length)
  })
  await fc.assert(property, { numRuns: rounds(8, 100) })
})

test('little is read ahead of a receiver that does not answer, however long the log is', async (t) => {
  const { delivery, reads, settle, underWay } = stage(Array.from({ length: 10_000 }, (_, n) => `sut ${n % 500}`))
  delivery.act()
  for (let n = 0; n < 20; n++) {
    await settle()
    delivery.act()
  }
  t.true(reads() * TOGETHER <= 256 + TOGETHER)
  t.is(underWay.size, 16)
  t.is(delivery.position(), toPublicPosition(-1))
})

test('the position is before the first event that is not delivered', async (t) => {
  const { delivery, sent, settle } = stage(['a', 'b', 'unwanted', 'c'])
  delivery.act()
  await settle()
  sent[1]?.answer()
  await settle()
  t.is(delivery.position(), toPublicPosition(-1))
  sent[0]?.answer()
  await settle()
  t.is(delivery.position(), toPublicPosition(2))
  sent[2]?.answer()
  await settle()
  t.is(delivery.position(), toPublicPosition(3))
})

test('while an event waits for its next attempt none is begun, and the first that failed is tried first', async (t) => {
  const { delivery, sent, settle, pass } = stage(
    ['a', 'b', 'c', 'a', 'd'],
    (position, attempt) => position < 2 && attempt === 1,
  )
  delivery.act()
  await settle()
  t.deepEqual(
    sent.map(({ position }) => position),
    [0, 1, 2, 4],
  )
  for (const { answer } of sent.slice(0, 3)) answer()
  await settle()
  pass(4_999)
  await settle()
  t.is(sent.length, 4)
  pass(1)
  await settle()
  t.deepEqual(
    sent.slice(4).map(({ position }) => position),
    [0],
  )
  sent[4]?.answer()
  await settle()
  t.deepEqual(
    sent.slice(5).map(({ position }) => position),
    [1],
  )
  sent[5]?.answer()
  await settle()
  t.deepEqual(
    sent.slice(6).map(({ position }) => position),
    [3],
  )
})

test('what another instance has delivered is skipped, also where it was read', async (t) => {
  const { delivery, sent, settle, allow } = stage(['a', 'b', 'c', 'd'])
  allow(false)
  delivery.act()
  await settle()
  t.deepEqual([sent.length, delivery.position()], [0, -1])
  delivery.skip(toPublicPosition(2))
  allow(true)
  delivery.act()
  await settle()
  t.deepEqual(
    sent.map(({ position }) => position),
    [3],
  )
})
