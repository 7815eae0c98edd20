import { DatabaseSync } from 'node:sqlite'
import test from 'ava'
import { projections } from '../../projections/index.ts'
import type { Snapshot } from '../../src/domain/decider.ts'
import { toPublicPosition, toStorePosition } from '../../src/domain/values/position.ts'
import { makeRunQuery } from '../../src/files/sqlite.ts'
import { beforeTheFirst } from '../../src/read-models/file/progress.ts'
import { openViewsFile } from '../../src/read-models/file/views-file.ts'
import { makePending } from '../../src/read-models/projector/pending.ts'
import { makeWriter } from '../../src/read-models/projector/write-behind.ts'

test('the queue of snapshots drops the oldest when full and writes the others', async (t) => {
  const file = openViewsFile(':memory:')
  t.teardown(file.close)
  const alarms = { onAlarm: (what: string) => t.fail(what), onRecovery: () => undefined }
  let last = -1
  const progress = () => ({
    ...beforeTheFirst('f'.repeat(24)),
    position: toPublicPosition(last),
    storePosition: toStorePosition(last),
  })
  const unclosed = { ...file, close: () => undefined }
  const writer = makeWriter({
    file: unclosed,
    pending: makePending(projections, file),
    alarms,
    progress,
    synced: () => progress().position,
  })
  const of = (stream: string): Snapshot => ({
    stream,
    version: 1,
    revision: 0,
    storePosition: toStorePosition(0),
    text: '{}',
  })
  const streams = Array.from({ length: 20_000 }, (_, n) => `sut-${n}`)
  // The rows have not reached the snapshots, so none can be written yet.
  for (const stream of streams) writer.snapshots.keep(stream, toStorePosition(0), () => of(stream))
  const waiting = streams.filter((stream) => writer.snapshots.find(stream) !== undefined)
  t.deepEqual(waiting, streams.slice(-16_384))
  last = 0
  await writer.close()
  t.deepEqual(
    streams.filter((stream) => file.snapshot(stream) !== undefined),
    waiting,
  )
})

test('more lists than there are prepared statements kept are answered, the first one again', (t) => {
  const db = new DatabaseSync(':memory:')
  t.teardown(() => db.close())
  const prepared: string[] = []
  const ask = makeRunQuery({
    prepare: (sql: string) => {
      prepared.push(sql)
      return db.prepare(sql)
    },
  } as DatabaseSync)
  for (let n = 0; n <= 200; n++) t.like(ask(`SELECT ${n} AS n, ? AS given`, 'x'), [{ n, given: 'x' }])
  t.like(ask('SELECT 200 AS n, ? AS given', 'y'), [{ n: 200, given: 'y' }])
  t.is(prepared.length, 201)
  t.like(ask('SELECT 0 AS n, ? AS given', 'z'), [{ n: 0, given: 'z' }])
  t.is(prepared.length, 202)
})
