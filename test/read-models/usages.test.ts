import test from 'ava'
import type { Logged, Recorded } from '../../src/domain/event.ts'
import { StoreUnavailable } from '../../src/event-store/event-store.ts'
import { makeUsages } from '../../src/read-models/usages.ts'
import type { Views } from '../../src/read-models/views.ts'
import { clock, idOf, reservationCancelled, reservationCreated } from '../domain/builders.ts'
import { at, recordedAt } from '../domain/given-when-then.ts'
import { makeChangesOf, reservationInFile } from './changes.ts'

const NOW = clock('05:00')
const [START, END] = [clock('06:00') / 1_000, clock('07:00') / 1_000]

/** Lists in which every user has some reservations ahead, and what was read of whom. */
const given = (
  options: { readonly reservationsMax?: number; readonly onRead?: () => void; readonly ahead?: number } = {},
) => {
  const { reservationsMax = 100, onRead = () => undefined, ahead = 2 } = options
  const reads: string[] = []
  let fold: (events: readonly Logged[]) => void = () => undefined
  const rows = Array.from({ length: ahead }, (_, n) => ({
    ...{ position: n, id: idOf(n), isReleased: false },
    internal: { start: START, end: END, lateness: 0, counted: 4, is_exempt: false, recorded: 'nothing' },
  }))
  const read = async (
    name: string,
    { user_id, after = -1, limit = 0 }: { user_id: string; after?: number; limit?: number },
  ) => {
    if (name === 'unfinishedUsage') {
      reads.push(user_id)
      onRead()
    }
    return { position: 0, listed: name === 'finishedUsage' ? [] : rows.slice(after + 1, after + 1 + limit) }
  }
  const changesOf = makeChangesOf((id) => ({ ...reservationInFile(id), user_id: 'alice' }))
  const watch = (listener: Parameters<Views['watch']>[0]) => {
    fold = (events) => listener(events, events.flatMap(changesOf))
    return () => undefined
  }
  const usages = makeUsages({ views: { read: read as never, watch }, clock: () => NOW, reservationsMax })
  const countOf = async (user: string): Promise<number> => (await usages.of(user)).endingAfter(NOW / 1_000)
  return { countOf, reads, fold: (event: Recorded) => fold([event as Logged]) }
}

const folded = (event: Parameters<typeof at>[1]): Recorded => recordedAt(0, at('05:00', event))

test('what a user has reserved is read once, and then follows the events', async (t) => {
  const { countOf, reads, fold } = given()
  t.is(await countOf('alice'), 2)
  fold(folded(reservationCreated(idOf(9), '08:00', '09:00', 'alice')))
  fold(folded(reservationCreated(idOf(10), '08:00', '09:00', 'bob')))
  t.is(await countOf('alice'), 3)
  fold(folded(reservationCancelled(idOf(9), 'alice')))
  t.is(await countOf('alice'), 2)
  t.deepEqual(reads, ['alice'])
})

test('beyond the bound the users who reserved longest ago are forgotten, and read again', async (t) => {
  const { countOf, reads } = given({ reservationsMax: 4 })
  for (const user of ['alice', 'bob', 'alice', 'carol', 'alice', 'bob']) t.is(await countOf(user), 2)
  t.deepEqual(reads, ['alice', 'bob', 'carol', 'bob'])
})

test('an event that does not fit is no reason to count wrong: the user is read again', async (t) => {
  const { countOf, reads, fold } = given()
  await countOf('alice')
  fold(folded(reservationCancelled(idOf(77), 'alice')))
  t.is(await countOf('alice'), 2)
  t.deepEqual(reads, ['alice', 'alice'])
})

test('a user whose reservations change while they are read is read again, and not for ever', async (t) => {
  let changes = 1
  const stage: ReturnType<typeof given> = given({
    onRead: () => {
      if (changes-- > 0) stage.fold(folded(reservationCreated(idOf(9), '08:00', '09:00', 'alice')))
    },
  })
  t.is(await stage.countOf('alice'), 2)
  t.deepEqual(stage.reads, ['alice', 'alice'])
  changes = Number.POSITIVE_INFINITY
  stage.fold(folded(reservationCancelled(idOf(77), 'alice')))
  await t.throwsAsync(() => stage.countOf('alice'), { instanceOf: StoreUnavailable })
})
