import { randomBytes } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { projections } from '../../projections/index.ts'
import { BEFORE_FIRST, toPublicPosition } from '../../src/domain/values/position.ts'
import { StoreUnavailable } from '../../src/event-store/event-store.ts'
import { isDamage } from '../../src/read-models/file/unusable-views.ts'
import { openViewsFile } from '../../src/read-models/file/views-file.ts'
import type { Lists, ReservationListQuery } from '../../src/read-models/lists/lists.ts'
import { type ListReads, openLongReader, readHereOrInThread } from '../../src/read-models/long-reads.ts'
import { aDirectory } from '../event-store/sqlite/subject.ts'
import { FIRST, fill, sutId, userId } from './lists/many-reservations.ts'

const SCALE = { reservations: 30_000, suts: 100, users: 50 }
const EVENTS = SCALE.reservations + SCALE.suts
const DAY = 86_400
const MIDDLE = FIRST + 180 * DAY
const FIRST_PAGE = { limit: 100, offset: 0 }

const HOME = mkdtempSync(join(tmpdir(), 'berth-'))
const PATH = join(HOME, 'views.db')
test.before(() => fill(PATH, SCALE).file.close())
test.after.always(() => rmSync(HOME, { recursive: true }))

/** A file with many reservations, read by this thread and by a reader thread. */
const given = (t: ExecutionContext) => {
  const file = openViewsFile(PATH, projections, { readOnly: true })
  const errors: Error[] = []
  const reader = openLongReader({ path: PATH, projections }, (error) => errors.push(error))
  t.teardown(async () => {
    await reader.close()
    file.close()
  })
  const delegated: string[] = []
  const counted: typeof reader.read = (name, ...rest) => {
    delegated.push(name)
    return reader.read(name, ...rest)
  }
  const commit = (): boolean => true
  let count = 0
  const { reservations } = file.lists
  const lists: Lists = {
    ...file.lists,
    reservations: (query) => {
      count += 1
      return reservations(query)
    },
  }
  const read = readHereOrInThread(
    { read: counted },
    { lists: () => lists, position: () => toPublicPosition(EVENTS - 1), commit },
  )
  return { lists: file.lists, reader, read, delegated, readHere: () => count, errors }
}

const long: Readonly<Record<string, ReservationListQuery>> = {
  'at a deep offset': { ...FIRST_PAGE, offset: 25_000 },
  'of a user who made half of them, for half of the time': { ...FIRST_PAGE, user_id: userId(0), startsBefore: MIDDLE },
  'of a long span, at an offset': { limit: 1000, offset: 9_500, endsAfter: FIRST + 9 * DAY, startsBefore: MIDDLE },
}
const short: Readonly<Record<string, ReservationListQuery>> = {
  'the newest': FIRST_PAGE,
  'of a SUT': { ...FIRST_PAGE, sut_ids: [sutId(7)] },
  'of a user who made half of them': { ...FIRST_PAGE, user_id: userId(0) },
  'of a day': { ...FIRST_PAGE, endsAfter: MIDDLE, startsBefore: MIDDLE + DAY },
  'of nobody': { ...FIRST_PAGE, user_id: 'nobody' },
}

test('a short list is read directly and a long one in a worker thread, with the same result', async (t) => {
  const { lists, read, delegated } = given(t)
  for (const [name, query] of Object.entries(short)) {
    t.deepEqual(await read('reservations', query), { position: EVENTS - 1, listed: lists.reservations(query) }, name)
  }
  t.deepEqual(delegated, [])
  for (const [name, query] of Object.entries(long)) {
    t.deepEqual(await read('reservations', query), { position: EVENTS - 1, listed: lists.reservations(query) }, name)
  }
  const byName = { ...FIRST_PAGE, name: 'E 1' }
  t.deepEqual((await read('suts', byName))?.listed, lists.suts(byName))
  t.is(delegated.length, Object.keys(long).length + 1)
})

test('lists as of the past are read completely in a worker thread', async (t) => {
  const { lists, read } = given(t)
  const now = lists.reservations({ ...FIRST_PAGE, offset: 20_000 })
  t.deepEqual(
    (await read('pastReservations', { ...FIRST_PAGE, offset: 20_000 }, toPublicPosition(EVENTS - 1)))?.listed,
    now,
  )
  t.is(
    (await read('pastReservations', FIRST_PAGE, toPublicPosition(EVENTS / 2)))?.listed.count,
    EVENTS / 2 + 1 - SCALE.suts,
  )
  t.deepEqual((await read('pastSuts', FIRST_PAGE, toPublicPosition(EVENTS - 1)))?.listed, lists.suts(FIRST_PAGE))
})

test('what runs soon, and what has ended, is read directly if it is little and in the thread otherwise', async (t) => {
  const { lists, read, delegated } = given(t)
  const hour = { from: MIDDLE, to: MIDDLE + 3_600, after: BEFORE_FIRST, limit: 2_000 }
  const year = { from: FIRST, to: FIRST + 360 * DAY, after: BEFORE_FIRST, limit: 2_000 }
  for (const [span, inThread] of [
    [hour, []],
    [year, ['upcoming', 'unrecorded']],
  ] as const) {
    delegated.length = 0
    const { listed } = (await read('upcoming', span)) ?? {}
    t.deepEqual(listed, lists.upcoming(span))
    t.true(listed !== undefined && listed.length > 0)
    t.deepEqual((await read('unrecorded', span))?.listed, lists.unrecorded(span))
    t.deepEqual(delegated, inThread)
  }
})

test('the main thread reads nothing of a long list', async (t) => {
  const { read, delegated, readHere } = given(t)
  const query = { limit: 1, offset: 29_000, endsAfter: FIRST - DAY }
  for (let n = 0; n < 10; n++) await read('reservations', query)
  t.deepEqual([delegated.length, readHere()], [10, 0])
  await read('reservations', FIRST_PAGE)
  t.deepEqual([delegated.length, readHere()], [10, 1])
})

test('the number of waiting long lists is limited, and errors are reported', async (t) => {
  const { reader, errors } = given(t)
  const all = Array.from({ length: 40 }, () => reader.read('suts', { ...FIRST_PAGE, name: 'x' }))
  const outcomes = await Promise.allSettled(all)
  t.is(outcomes.filter(({ status }) => status === 'fulfilled').length, 32)
  t.true(outcomes.every((outcome) => outcome.status === 'fulfilled' || outcome.reason instanceof StoreUnavailable))
  const wrong = { ...FIRST_PAGE, limit: 'many' as unknown as number }
  const error = await t.throwsAsync(async () => reader.read('reservations', { ...wrong, offset: 20_000 }))
  t.false(error instanceof StoreUnavailable, 'a wrong query stays an error of the program')
  t.is(errors.length, 1)
  t.is((await reader.read('suts', FIRST_PAGE))?.listed.count, SCALE.suts, 'the thread continues')
})

test('a worker thread that cannot read the file rejects its reads, and the next read starts another', async (t) => {
  const path = join(await aDirectory(t), 'views.db')
  const reader = openLongReader({ path, projections }, () => undefined)
  t.teardown(reader.close)
  const read = async () => reader.read('suts', FIRST_PAGE)
  await t.throwsAsync(read, { instanceOf: StoreUnavailable })
  fill(path, { reservations: 10, suts: 2, users: 1 }).file.close()
  t.is((await read())?.listed.count, 2)
})

test('a list whose rows cannot be read from the disk is unavailable, and the damage is reported', async (t) => {
  const path = join(await aDirectory(t), 'views.db')
  fill(path, SCALE).file.close()
  const errors: unknown[] = []
  const reader = openLongReader({ path, projections }, (error) => errors.push(error))
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

test('isShort covers every list except those always read in the thread', (t) => {
  const { lists } = given(t)
  const inThread: readonly (keyof ListReads)[] = [
    'available',
    'csvRows',
    'endedSince',
    'everySut',
    'holders',
    'isHolder',
    'pastReservations',
    'pastSuts',
    'sutStates',
    'windows',
  ]
  const all: Record<keyof ListReads, true> = {
    reservations: true,
    suts: true,
    available: true,
    everySut: true,
    sutStates: true,
    windows: true,
    held: true,
    sessions: true,
    series: true,
    sutRequests: true,
    outages: true,
    upcoming: true,
    unfinishedUsage: true,
    finishedUsage: true,
    unrecorded: true,
    used: true,
    csvRows: true,
    endedSince: true,
    holders: true,
    isHolder: true,
    pastReservations: true,
    pastSuts: true,
  }
  const ofNow = Object.keys(all).filter((name) => !inThread.includes(name as keyof ListReads))
  t.deepEqual(Object.keys(lists.isShort satisfies Lists['isShort']), ofNow)
})
