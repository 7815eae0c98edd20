import test from 'ava'
import { makeEventId } from '../../../src/domain/values/ids.ts'
import { BEFORE_FIRST, toPublicPosition, toStorePosition } from '../../../src/domain/values/position.ts'
import { BEGINNING } from '../../../src/event-store/event-store.ts'
import { openViewsFile } from '../../../src/read-models/file/views-file.ts'
import { leafHash, MTH } from '../../audit/verify-proof.ts'
import { randomHex } from '../../event-store/new-events.ts'

/** A log index with the given number of events. */
const indexOf = (count: number, storePositionOf: (position: number) => number) => {
  const file = openViewsFile(':memory:')
  const rows = Array.from({ length: count }, (_, position) => ({
    position: toPublicPosition(position),
    storePosition: toStorePosition(storePositionOf(position)),
    id: makeEventId(position, randomHex(10)),
    leaf: new Uint8Array(leafHash(Buffer.from(`leaf ${position}`))),
    time: position,
  }))
  file.stage(rows.map((logRow) => ({ logRow })))
  return { log: file.log, rows, leaves: rows.map(({ leaf }) => leaf) }
}

for (const [where, storePositionOf] of [
  ['the embedded store', (position: number) => position],
  ['EventStoreDB', (position: number) => 7 + 300 * position],
] as const) {
  test(`an event of ${where} is found by its position, store position and id`, (t) => {
    const { log, rows } = indexOf(300, storePositionOf)
    t.is(log.size(), 300)
    for (const { position, storePosition, id } of rows) {
      t.is(log.storePositionAt(position), storePosition)
      t.is(log.publicPositionAt(storePosition), position)
      t.is(log.positionOf(id), toPublicPosition(position))
    }
    t.deepEqual([log.storePositionAt(BEFORE_FIRST), log.publicPositionAt(BEGINNING)], [-1, -1])
    t.deepEqual(
      [
        log.storePositionAt(toPublicPosition(300)),
        log.publicPositionAt(toStorePosition(storePositionOf(300))),
        log.positionOf(makeEventId(1, randomHex(10))),
      ],
      [undefined, undefined, undefined],
    )
  })
}

test('an invalid id, as in a tampered log, does not keep other events from being found', (t) => {
  const file = openViewsFile(':memory:')
  const ids = ['z'.repeat(36), makeEventId(1, randomHex(10)), '', `${makeEventId(2, randomHex(10))}-a7`]
  const leaf = new Uint8Array(32)
  file.stage(
    ids.map((id, position) => ({
      logRow: {
        position: toPublicPosition(position),
        storePosition: toStorePosition(position),
        id,
        leaf,
        time: position,
      },
    })),
  )
  t.deepEqual([file.log.size(), file.log.positionOf(ids[1] as string)], [4, 1])
})

test('thorough: every node of the tree, stored or not, is the hash of its leaves', (t) => {
  const { log, leaves } = indexOf(65_536 + 700, (position) => position)
  const nodes = [0, 1, 3, 7, 8, 9, 12].flatMap((level) => [0, 1, 2, 3].map((n) => [level, n] as const))
  for (const [level, n] of [...nodes, [15, 1], [16, 0], [8, 257], [0, 66_235]] as const) {
    const size = 2 ** level
    t.deepEqual(new Uint8Array(log.node(level, n)), MTH(leaves.slice(n * size, (n + 1) * size)), `${level}, ${n}`)
  }
})

test('a node that the log does not fill throws', (t) => {
  const { log } = indexOf(700, (position) => position)
  for (const [level, n] of [
    [0, 700],
    [1, 350],
    [8, 2],
    [9, 1],
    [10, 0],
    [16, 0],
  ] as const) {
    t.throws(() => log.node(level, n), { instanceOf: RangeError })
  }
})
