import { randomBytes } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { BEFORE_FIRST, toPublicPosition } from '../../src/domain/values/position.ts'
import { StoreUnavailable } from '../../src/event-store/event-store.ts'
import { isDamage, openViewsFile } from '../../src/read-models/file/views-file.ts'
import { type ListsHere, openListReader } from '../../src/read-models/list-reader.ts'
import type { ReservationListQuery } from '../../src/read-models/lists/reservations.ts'
import { aDirectory } from '../event-store/sqlite/subject.ts'
import { fill } from './fill.ts'
import { FIRST, manyEvents, type Scale, sutId, userId } from './lists/many-reservations.ts'

const SCALE = { reservations: 30_000, suts: 100, users: 50 }
const EVENTS = SCALE.reservations + SCALE.suts
const DAY = 86_400
const MIDDLE = FIRST + 180 * DAY
const FIRST_PAGE = { limit: 100, offset: 0 }
const unused = (): never => {
  throw new Error('a list was read in this thread')
}
const HERE: ListsHere = { isLogShort: () => false, read: unused }

/** Makes a views file with many reservations. */
const fillAt = (path: string, scale: Scale): void => {
  const isDue = (n: number): boolean => n % 2_048 === 0
  fill(openViewsFile(path), [...manyEvents(scale)], { isStaged: isDue, isCommitted: isDue }).close()
}

const HOME = mkdtempSync(join(tmpdir(), 'berth-'))
const PATH = join(HOME, 'views.db')
test.before(() => fillAt(PATH, SCALE))
test.after.always(() => rmSync(HOME, { recursive: true }))

/** A file with many reservations, read by this thread and by a reader thread. */
const given = (t: ExecutionContext) => {
  const file = openViewsFile(PATH, { readOnly: true })
  const errors: Error[] = []
  const reader = openListReader(PATH, (error) => errors.push(error), HERE)
  t.teardown(async () => {
    await reader.close()
    file.close()
  })
  return { lists: file.lists, reader, read: reader.read, errors }
}

const QUERIES: readonly ReservationListQuery[] = [
  FIRST_PAGE,
  { ...FIRST_PAGE, sut_ids: [sutId(7)] },
  { ...FIRST_PAGE, user_id: userId(0), withDetails: true },
  { ...FIRST_PAGE, user_id: 'nobody' },
  { ...FIRST_PAGE, offset: 25_000 },
  { limit: 1000, offset: 9_500, endsAfter: FIRST + 9 * DAY, startsBefore: MIDDLE },
]

test('lists are read in a worker thread, at one position', async (t) => {
  const { lists, read } = given(t)
  for (const query of QUERIES)
    t.deepEqual(await read('reservations', query), { position: EVENTS - 1, listed: lists.reservations(query) })
  const byName = { ...FIRST_PAGE, name: 'E 1' }
  t.deepEqual((await read('suts', byName)).listed, lists.suts(byName))
  const year = { from: FIRST, to: FIRST + 360 * DAY, after: BEFORE_FIRST, limit: 2_000 }
  t.deepEqual((await read('upcoming', year)).listed, lists.upcoming(year))
  t.deepEqual((await read('unrecorded', year)).listed, lists.unrecorded(year))
})

test('lists as of the past are read completely in a worker thread', async (t) => {
  const { lists, read } = given(t)
  const now = lists.reservations({ ...FIRST_PAGE, offset: 20_000 })
  const [asOf, middle] = [toPublicPosition(EVENTS - 1), toPublicPosition(EVENTS / 2)]
  t.deepEqual((await read('reservations', { ...FIRST_PAGE, offset: 20_000, asOf })).listed, now)
  t.is((await read('reservations', { ...FIRST_PAGE, asOf: middle })).listed.count, EVENTS / 2 + 1 - SCALE.suts)
  t.deepEqual((await read('suts', { ...FIRST_PAGE, asOf })).listed, lists.suts(FIRST_PAGE))
})

test('the number of waiting lists is limited, and errors are reported', async (t) => {
  const { reader, errors } = given(t)
  const all = Array.from({ length: 300 }, () => reader.read('suts', { ...FIRST_PAGE, name: 'x' }))
  const spans = { from: 0, to: 1, timeZone: 'UTC', by: 'none', bucket: 'none', now: 1, rowsMax: 1 } as const
  await t.notThrowsAsync(reader.read('usageReport', spans), 'reports have a thread of their own')
  const outcomes = await Promise.allSettled(all)
  t.is(outcomes.filter(({ status }) => status === 'fulfilled').length, 256)
  t.true(outcomes.every((outcome) => outcome.status === 'fulfilled' || outcome.reason instanceof StoreUnavailable))
  const wrong = { ...FIRST_PAGE, limit: 'many' as unknown as number }
  const error = await t.throwsAsync(async () => reader.read('reservations', { ...wrong, offset: 20_000 }))
  t.false(error instanceof StoreUnavailable, 'a wrong query stays an error of the program')
  t.is(errors.length, 1)
  t.is((await reader.read('suts', FIRST_PAGE)).listed.count, SCALE.suts, 'the thread continues')
})

test('a worker thread that cannot read the file rejects its reads, and the next read starts another', async (t) => {
  const path = join(await aDirectory(t), 'views.db')
  const reader = openListReader(path, () => undefined, HERE)
  t.teardown(reader.close)
  const read = async () => reader.read('suts', FIRST_PAGE)
  await t.throwsAsync(read, { instanceOf: StoreUnavailable })
  fillAt(path, { reservations: 10, suts: 2, users: 1 })
  t.is((await read()).listed.count, 2)
})

test('a list whose rows cannot be read from the disk is unavailable, and the damage is reported', async (t) => {
  const path = join(await aDirectory(t), 'views.db')
  fillAt(path, SCALE)
  const errors: unknown[] = []
  const reader = openListReader(path, (error) => errors.push(error), HERE)
  t.teardown(reader.close)
  await reader.read('suts', { ...FIRST_PAGE, limit: 1 })
  const { size } = statSync(path)
  const damaged = openSync(path, 'r+')
  const FIRST_PAGES = 64 * 4096
  writeSync(damaged, randomBytes(size - FIRST_PAGES), 0, size - FIRST_PAGES, FIRST_PAGES)
  closeSync(damaged)
  const unreadable = async () => reader.read('reservations', { ...FIRST_PAGE, offset: 20_000 })
  await t.throwsAsync(unreadable, { instanceOf: StoreUnavailable, message: /^lists cannot be read: / })
  t.deepEqual(errors.map(isDamage), [true])
})
