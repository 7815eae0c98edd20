import test from 'ava'
import { projections } from '../../../projections/index.ts'
import type { Snapshot } from '../../../src/domain/decider.ts'
import { toPublicPosition, toStorePosition } from '../../../src/domain/values/position.ts'
import { beforeTheFirst } from '../../../src/read-models/file/progress.ts'
import { openViewsFile } from '../../../src/read-models/file/views-file.ts'
import { makePending } from '../../../src/read-models/projector/pending.ts'
import { makeWriter } from '../../../src/read-models/projector/write-behind.ts'

const COUNT = 40
const SIZE = 100_000

test('snapshots that are due together are spread over several transactions, and all are written', async (t) => {
  const file = openViewsFile(':memory:')
  const first = Promise.withResolvers<readonly Snapshot[]>()
  const watched = {
    ...file,
    commit: (...[states, progress]: Parameters<typeof file.commit>) => {
      file.commit(states, progress)
      first.resolve(states)
    },
    close: () => undefined,
  }
  const alarms = { onAlarm: (what: string) => t.fail(what), onRecovery: () => undefined }
  const progress = () => ({
    ...beforeTheFirst('f'.repeat(24)),
    position: toPublicPosition(0),
    storePosition: toStorePosition(0),
  })
  const writer = makeWriter({
    file: watched,
    pending: makePending(projections, file),
    alarms,
    progress,
    synced: () => progress().position,
  })
  const streams = Array.from({ length: COUNT }, (_, n) => `sut-${n}`)
  for (const stream of streams) {
    const text = 'x'.repeat(SIZE)
    writer.snapshots.keep(stream, toStorePosition(0), () => ({
      stream,
      version: 1,
      revision: 0,
      storePosition: toStorePosition(0),
      text,
    }))
  }
  writer.tick()
  const { length } = await first.promise
  t.true(length > 0 && length * SIZE < 2_000_000, `${length} in the first transaction`)
  await writer.close()
  t.deepEqual(
    streams.filter((stream) => file.snapshot(stream)?.text.length !== SIZE),
    [],
  )
  file.close()
})
