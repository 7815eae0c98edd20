import type { Reservation } from '../../projections/reservation.ts'
import type { Event, Logged } from '../../src/domain/event.ts'
import { formatMilliseconds, formatWithOffset } from '../../src/domain/values/instant.ts'
import { toPublicPosition } from '../../src/domain/values/position.ts'
import type { Version } from '../../src/read-models/tables/version.ts'
import type { Views } from '../../src/read-models/views.ts'
import { alice, clock, SUT_ID } from '../domain/builders.ts'
import { at as past, recordedAt } from '../domain/given-when-then.ts'
import { internalOf, makeChangesOf } from '../read-models/changes.ts'

type Listener = Parameters<Views['watch']>[0]

/** A reservation that the views have. Times are in Unix seconds, but for `created`, which is in milliseconds. */
export interface FakeRow {
  readonly _id: string
  readonly sut_id: string
  readonly user_id: string
  readonly listen_port: number
  readonly start: number
  readonly end: number
  readonly created: number
}

/** A row of the views, about a reservation made at 05:00. */
export const rowOf = (_id: string, start: string, end: string): FakeRow => ({
  ...{ _id, sut_id: SUT_ID, user_id: alice, listen_port: 20_017, created: clock('05:00') },
  ...{ start: clock(start) / 1000, end: clock(end) / 1000 },
})

const documentOf = ({ _id, start, end, created, user_id, sut_id, listen_port }: FakeRow): Reservation => {
  const created_at = formatMilliseconds(created)
  const [start_time, end_time] = [formatWithOffset(start, 0), formatWithOffset(end, 0)]
  return { _id, created_at, updated_at: created_at, start_time, end_time, user_id, sut_id, listen_port }
}

/** Views that a test fills. `tell` calls the listeners; `beforePage` runs before each page is returned. */
export const fakeViews = () => {
  const listeners = new Set<Listener>()
  const changed = new Map<string, Version>()
  const fake = {
    rows: [] as FakeRow[],
    isReadable: true,
    pages: 0,
    beforePage: (_page: number): void => undefined,
    tell: (time: string, ...events: readonly Event[]): void => {
      const recorded = events.map((event, n) => recordedAt(n, past(time, event)) as Logged)
      const changes = recorded.flatMap(changesOf)
      for (const { projection, after } of changes) changed.set(`${projection} ${after.id}`, after)
      for (const listener of listeners) listener(recorded, changes)
    },
  }
  const rowWith = (id: string): FakeRow | undefined => fake.rows.find(({ _id }) => _id === id)
  const changesOf = makeChangesOf((id) => documentOf(rowWith(id) ?? rowOf(id, '05:00', '05:15')))
  const read = (async (name: string, { from, to, after, limit }: Record<string, number>) => {
    if (name !== 'upcoming') throw new Error(`${name} is not asked for`)
    const listed = fake.rows
      .map((row, n) => ({ ...row, position: toPublicPosition(n) }))
      .filter((row) => row.end > Number(from) && row.start < Number(to) && row.position > Number(after))
      .slice(0, limit)
    fake.beforePage(fake.pages++)
    return fake.isReadable ? { position: 0, listed } : undefined
  }) as unknown as Views['read']
  const newest = ((projection: string, id: string) => {
    const row = projection === 'reservation' ? rowWith(id) : undefined
    const texts = (document: Reservation) => ({
      document: JSON.stringify(document),
      internal: JSON.stringify(internalOf(document)),
    })
    return changed.get(`${projection} ${id}`) ?? (row && { ended: null, ...texts(documentOf(row)) })
  }) as unknown as Views['newest']
  const watch: Views['watch'] = (listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return { fake, views: { read, newest, watch } }
}
