import test from 'ava'
import type { Logged, Recorded } from '../../src/domain/event.ts'
import { StoreUnavailable } from '../../src/event-store/event-store.ts'
import { makeUsages } from '../../src/read-models/usages.ts'
import type { Views } from '../../src/read-models/views.ts'
import { clock, idOf, reservationCancelled, reservationCreated } from '../domain/builders.ts'
import { at, recordedAt } from '../domain/given-when-then.ts'
import { makeChangesOf } from './changes.ts'

const NOW = clock('05:00')
const AHEAD = { start: clock('06:00') / 1_000, end: clock('07:00') / 1_000, counted: 4, is_exempt: false }

/** Views in which every user has two reservations ahead, and what was read of whom. */
const given = (reservationsMax = 100) => {
  const reads: string[] = []
  let isReadable = true
  let fold: (events: readonly Logged[]) => void = () => undefined
  const unfinished = [0, 1].map((n) => ({ id: idOf(n), ended: null, internal: JSON.stringify(AHEAD) }))
  const readNow = (_: string, { user_id }: { readonly user_id: string }) => {
    reads.push(user_id)
    return isReadable ? { position: 0, listed: { unfinished, weeks: [] } } : undefined
  }
  const changesOf = makeChangesOf()
  const watch = (listener: Parameters<Views['watch']>[0]) => {
    fold = (events) => listener(events, events.flatMap(changesOf))
    return () => undefined
  }
  const usages = makeUsages({ views: { readNow: readNow as never, watch }, clock: () => NOW, reservationsMax })
  return {
    countOf: (user: string): number => usages.of(user).endingAfter(NOW / 1_000),
    reads,
    fold: (event: Recorded) => fold([event as Logged]),
    end: () => {
      isReadable = false
    },
  }
}

const folded = (event: Parameters<typeof at>[1]): Recorded => recordedAt(0, at('05:00', event))

test('what a user has reserved is read once, and then follows the events', (t) => {
  const { countOf, reads, fold, end } = given()
  t.is(countOf('alice'), 2)
  fold(folded(reservationCreated(idOf(9), '08:00', '09:00', 'alice')))
  fold(folded(reservationCreated(idOf(10), '08:00', '09:00', 'bob')))
  t.is(countOf('alice'), 3)
  fold(folded(reservationCancelled(idOf(9), 'alice')))
  t.is(countOf('alice'), 2)
  t.deepEqual(reads, ['alice'])
  end()
  t.throws(() => countOf('bob'), { instanceOf: StoreUnavailable })
})

test('beyond the bound the users who reserved longest ago are forgotten, and read again', (t) => {
  const { countOf, reads } = given(6)
  for (const user of ['alice', 'bob', 'alice', 'carol', 'alice', 'bob']) t.is(countOf(user), 2)
  t.deepEqual(reads, ['alice', 'bob', 'carol', 'bob'])
})
