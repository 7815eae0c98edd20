import type { ExecutionContext } from 'ava'
import type { Snapshots } from '../../../src/commands/states.ts'
import { toPublicPosition } from '../../../src/domain/values/position.ts'
import { beforeTheFirst } from '../../../src/read-models/file/progress.ts'
import { openViewsFile } from '../../../src/read-models/file/views-file.ts'

/** Snapshots in a views file, written at once, with a count of writes. */
export const keptStates = (t: ExecutionContext, path = ':memory:') => {
  const file = openViewsFile(path)
  t.teardown(file.close)
  let written = 0
  const snapshots: Snapshots = {
    read: file.snapshot,
    keep: (_, storePosition, snapshot) => {
      const saved = snapshot()
      if (saved === undefined) return
      written++
      file.commit([saved], {
        ...beforeTheFirst('f'.repeat(24)),
        position: toPublicPosition(storePosition),
        storePosition,
      })
    },
    dropUnwritten: () => undefined,
  }
  return { snapshots, written: () => written }
}
