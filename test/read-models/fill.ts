import { projections } from '../../projections/index.ts'
import type { Recorded } from '../../src/domain/event.ts'
import { toPublicPosition, toStorePosition } from '../../src/domain/values/position.ts'
import { openViewsFile, type ViewsFile } from '../../src/read-models/file/views-file.ts'
import { makePending } from '../../src/read-models/projector/pending.ts'
import { logged } from '../event-store/new-events.ts'

/** Folds events into a file, staged and committed in several pieces, as by the service. */
export const fill = (
  file: ViewsFile,
  events: readonly Recorded[],
  { isStaged = (n) => n % 3 === 0, isCommitted = (n) => n % 9 === 0 }: Pieces = {},
): ViewsFile => {
  const pending = makePending(projections, file)
  for (const [n, event] of events.entries()) {
    pending.fold(logged(event), toPublicPosition(n))
    const isLast = n === events.length - 1
    if (isStaged(n) || isCommitted(n) || isLast) file.stage(pending.takeUnstaged())
    if (!isCommitted(n) && !isLast) continue
    const at = { position: toPublicPosition(n), storePosition: toStorePosition(n), eventId: `${n}` }
    file.commit([], { logId: 'f'.repeat(24), ...at, stream: '', revision: n })
    pending.written()
  }
  return file
}

/** After which events rows are staged, and committed. All are after the last one. */
interface Pieces {
  readonly isStaged?: (n: number) => boolean
  readonly isCommitted?: (n: number) => boolean
}

/** The same in a file in memory. */
export const filled = (events: readonly Recorded[], pieces?: Pieces): ViewsFile =>
  fill(openViewsFile(':memory:'), events, pieces)
