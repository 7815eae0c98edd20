import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import test from 'ava'
import { projections } from '../../../projections/index.ts'
import { toPublicPosition, toStorePosition } from '../../../src/domain/values/position.ts'
import { beforeTheFirst } from '../../../src/read-models/file/progress.ts'
import { openViewsFile, type ViewsFile } from '../../../src/read-models/file/views-file.ts'
import type { EventRow } from '../../../src/read-models/tables/version.ts'
import { aDirectory } from '../../event-store/sqlite/subject.ts'

const DAY = 86_400_000
const NAMES = Array.from({ length: 3_000 }, () => randomBytes(17).toString('base64url').slice(0, 22))

const rowOf = (name: string, position: number, time: number): EventRow => {
  const version = {
    position: toPublicPosition(position),
    revision: position,
    id: name,
    document: '{}',
    internal: JSON.stringify({ time }),
    ended: null,
  }
  return {
    projection: 'retry_key',
    version: { ...version, created: version.position, replaces: null, observed: 0, isObserved: false, further: [] },
  }
}

const commit = (file: ViewsFile, position: number): void =>
  file.commit([], {
    ...beforeTheFirst('f'.repeat(24)),
    position: toPublicPosition(position),
    storePosition: toStorePosition(position),
  })

/** The positions of the newest documents of some names. */
const found = (file: ViewsFile, names: readonly string[]) =>
  names.map((name) => file.newest('retry_key', name)?.position)

const allOf = (names: readonly string[]) => names.map((_, n) => n)

test('every idempotency key is found, before and after a commit, and after reopening the file', async (t) => {
  const path = join(await aDirectory(t), 'views.db')
  const file = openViewsFile(path, projections)
  for (let n = 0; n < NAMES.length; n += 100) {
    file.stage(NAMES.slice(n, n + 100).map((name, i) => rowOf(name, n + i, n)))
    if (n % 700 === 0) commit(file, n + 99)
  }
  t.deepEqual(found(file, NAMES), allOf(NAMES))
  commit(file, NAMES.length - 1)
  t.deepEqual(found(file, [...NAMES.slice(0, 50), 'x'.repeat(22)]), [...allOf(NAMES.slice(0, 50)), undefined])
  file.close()
  const again = openViewsFile(path, projections)
  t.teardown(again.close)
  t.deepEqual(found(again, NAMES), allOf(NAMES))
})

test('idempotency keys written by another connection are found', async (t) => {
  const path = join(await aDirectory(t), 'views.db')
  const [one, other] = [openViewsFile(path, projections), openViewsFile(path, projections)]
  t.teardown(one.close)
  t.teardown(other.close)
  const [first, second] = [NAMES.slice(0, 100), NAMES.slice(100, 200)]
  one.stage(first.map((name, n) => rowOf(name, n, 0)))
  commit(one, 99)
  t.deepEqual(found(other, first), allOf(first))
  other.stage(second.map((name, n) => rowOf(name, 100 + n, 0)))
  commit(other, 199)
  one.stage([rowOf('x'.repeat(22), 200, 0)])
  commit(one, 200)
  t.deepEqual(found(other, [...first, ...second, 'x'.repeat(22)]), [...allOf([...first, ...second]), 200])
})

test('keys of a failed transaction are not found, keys of the next one are', async (t) => {
  const file = openViewsFile(join(await aDirectory(t), 'views.db'), projections)
  t.teardown(file.close)
  file.stage([rowOf('a'.repeat(22), 0, 0)])
  commit(file, 0)
  // The same position again: the transaction is undone.
  t.throws(() => file.stage([rowOf('b'.repeat(22), 1, 0), rowOf('c'.repeat(22), 0, 0)]))
  t.false(file.isStaging())
  file.stage([rowOf('d'.repeat(22), 1, 0)])
  commit(file, 1)
  const names = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(22))
  t.deepEqual(found(file, names), [0, undefined, undefined, 1])
})

const HALF_DAY = DAY / 2

/** A file in which a key was recorded at each time, and which of the keys it knows, by their place. */
const recordedAt = (times: readonly number[]): readonly number[] => {
  const file = openViewsFile(':memory:', projections)
  // In transactions of three rows.
  for (let n = 0; n < times.length; n += 3) {
    file.stage(times.slice(n, n + 3).map((time, i) => rowOf(NAMES[n + i] as string, n + i, time)))
    commit(file, Math.min(n + 2, times.length - 1))
  }
  const known = times.flatMap((_, n) => (file.newest('retry_key', NAMES[n] as string)?.position === n ? [n] : []))
  file.close()
  return known
}

test('keys of a day are known, and those of two days no longer', (t) => {
  const times = Array.from({ length: 400 }, (_, n) => n * (DAY / 40))
  const known = recordedAt(times)
  const [first = 0] = known
  t.deepEqual(known, allOf(NAMES.slice(0, 400)).slice(first))
  t.true(first >= 400 - 80 && first <= 400 - 40, `from ${first} on`)
})

test('a clock that is ahead for a while loses no key of a day', (t) => {
  const times = Array.from({ length: 300 }, (_, n) => (n % 100 === 50 ? 3_650 * DAY : n))
  t.deepEqual(recordedAt(times), allOf(times.map(String)))
})

test('what a clock recorded that was years ahead gives way to what is recorded now', (t) => {
  const ahead = Array.from({ length: 40 }, (_, n) => 3_650 * DAY + n * HALF_DAY)
  const now = Array.from({ length: 80 }, (_, n) => n * (DAY / 40))
  const known = recordedAt([...ahead, ...now])
  t.deepEqual(known.slice(-41), allOf(Array(120).fill('')).slice(-41))
})

test('a key that is used again after its time is known as it was used last', (t) => {
  const file = openViewsFile(':memory:', projections)
  t.teardown(file.close)
  const name = NAMES[0] as string
  file.stage([rowOf(name, 0, 0), rowOf(name, 1, 2 * HALF_DAY)])
  commit(file, 1)
  t.deepEqual(found(file, [name]), [1])
})
