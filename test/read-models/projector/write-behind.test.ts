import test, { type ExecutionContext } from 'ava'
import { projections } from '../../../projections/index.ts'
import type { Snapshot } from '../../../src/domain/decider.ts'
import { toPublicPosition, toStorePosition } from '../../../src/domain/values/position.ts'
import { beforeTheFirst } from '../../../src/read-models/file/progress.ts'
import { openViewsFile } from '../../../src/read-models/file/views-file.ts'
import { makePending } from '../../../src/read-models/projector/pending.ts'
import { makeWriter } from '../../../src/read-models/projector/write-behind.ts'

/** A writer of a file in memory, and the states of its first transaction. Rows are there up to the given position. */
const given = (t: ExecutionContext, position: () => number) => {
  const file = openViewsFile(':memory:')
  t.teardown(file.close)
  const first = Promise.withResolvers<readonly Snapshot[]>()
  const watched = {
    ...file,
    commit: (...[states, progress]: Parameters<typeof file.commit>) => {
      file.commit(states, progress)
      first.resolve(states)
    },
    close: () => undefined,
  }
  const progress = () => ({
    ...beforeTheFirst('f'.repeat(24)),
    position: toPublicPosition(position()),
    storePosition: toStorePosition(position()),
  })
  const writer = makeWriter({
    ...{ file: watched, pending: makePending(projections, file), progress, synced: () => progress().position },
    alarms: { onAlarm: (what: string) => t.fail(what), onRecovery: () => undefined },
  })
  const keep = (stream: string, text = '{}'): void => {
    const snapshot = { stream, version: 1, revision: 0, storePosition: toStorePosition(0), text }
    writer.snapshots.keep(stream, toStorePosition(0), () => snapshot)
  }
  return { file, writer, keep, first: first.promise }
}

const streamsOf = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `sut-${n}`)

test('the queue of snapshots drops the oldest when full and writes the others', async (t) => {
  let last = -1
  const { file, keep, writer } = given(t, () => last)
  const streams = streamsOf(20_000)
  // The rows have not reached the snapshots, so none can be written yet.
  for (const stream of streams) keep(stream)
  const waiting = streams.filter((stream) => writer.snapshots.find(stream) !== undefined)
  t.deepEqual(waiting, streams.slice(-16_384))
  last = 0
  await writer.close()
  t.deepEqual(
    streams.filter((stream) => file.snapshot(stream) !== undefined),
    waiting,
  )
})

const SIZE = 100_000

test('snapshots that are due together are spread over several transactions, and all are written', async (t) => {
  const { file, first, keep, writer } = given(t, () => 0)
  const streams = streamsOf(40)
  for (const stream of streams) keep(stream, 'x'.repeat(SIZE))
  writer.tick()
  const { length } = await first
  t.true(length > 0 && length * SIZE < 2_000_000, `${length} in the first transaction`)
  await writer.close()
  t.deepEqual(
    streams.filter((stream) => file.snapshot(stream)?.text.length !== SIZE),
    [],
  )
})
