import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Projection } from '../../projections/projection.ts'
import { BEGINNING, type EventStore } from '../event-store/event-store.ts'
import { makePending } from './pending.ts'
import { openViewsFile, UnusableViews, type Version, type ViewsFile } from './views-file.ts'

/** Rows folded before they are written. */
const CHUNK = 4_096

/** How documents made anew from the log compare with those in use. */
export interface Comparison {
  /** The public position up to which both were compared, -1 for an empty log. */
  readonly position: number
  readonly events: number
  readonly documents: number
  /** What differs, one sentence each; the first 20. */
  readonly differences: readonly string[]
}

const DIFFERENCES_MAX = 20

/** Folds the log up to a mark into a file. */
const rebuild = async (
  store: EventStore,
  file: ViewsFile,
  projections: readonly Projection[],
  upTo: number,
  onProgress: (events: number) => void,
): Promise<number> => {
  const pending = makePending(projections, file)
  const stop = new AbortController()
  let position = -1
  let last = { mark: BEGINNING, id: '' }
  const write = (): void => {
    file.write(pending.rows(), [], { logId: store.logId, position, mark: last.mark, eventId: last.id })
    pending.clear()
    onProgress(position + 1)
  }
  for await (const { events, caughtUp } of store.subscribe(BEGINNING, stop.signal)) {
    for (const event of events) {
      if (event.mark > upTo) break
      pending.fold(event, ++position)
      last = event
    }
    if (pending.count() >= CHUNK) write()
    if (last.mark >= upTo || caughtUp) break
  }
  stop.abort()
  write()
  return position + 1
}

const same = (a: Version | undefined, b: Version | undefined): boolean =>
  a?.position === b?.position &&
  a?.revision === b?.revision &&
  a?.id === b?.id &&
  a?.document === b?.document &&
  a?.ended === b?.ended

const shown = (version: Version | undefined): string =>
  version === undefined ? 'nothing' : `${version.id} at revision ${version.revision}: ${version.document}`

/** Compares a table of both files row by row, from the first on. */
const compare = (name: string, used: ViewsFile, fresh: ViewsFile, upTo: number, differences: string[]): number => {
  const a = used.rows(name, upTo)[Symbol.iterator]()
  const b = fresh.rows(name, upTo)[Symbol.iterator]()
  let documents = 0
  for (;;) {
    const [left, right] = [a.next(), b.next()]
    if (left.done && right.done) return documents
    documents++
    const [inUse, made] = [left.done ? undefined : left.value, right.done ? undefined : right.value]
    if (same(inUse, made)) continue
    const position = Math.min(inUse?.position ?? Number.POSITIVE_INFINITY, made?.position ?? Number.POSITIVE_INFINITY)
    differences.push(`${name}, position ${position}: in use is ${shown(inUse)}, the log gives ${shown(made)}`)
    if (differences.length >= DIFFERENCES_MAX) return documents
  }
}

/**
 * Makes the documents anew from the log, in a file of its own, up to the place that those in use have come to, and
 * compares the two.
 *
 * @throws UnusableViews when there are no documents in use, or they are of another log
 */
export const replay = async (
  path: string,
  store: EventStore,
  projections: readonly Projection[],
  onProgress: (events: number, of: number) => void = () => undefined,
): Promise<Comparison> => {
  const used = openViewsFile(path, projections, { readOnly: true })
  const directory = mkdtempSync(join(tmpdir(), 'berth-replay-'))
  const fresh = openViewsFile(join(directory, 'views.db'), projections)
  try {
    const progress = used.progress() ?? { logId: store.logId, position: -1, mark: BEGINNING, eventId: '' }
    if (progress.logId !== store.logId) throw new UnusableViews(`${path} was made from another log`)
    const events = await rebuild(store, fresh, projections, progress.mark, (done) =>
      onProgress(done, progress.position + 1),
    )
    const differences: string[] = []
    const rebuilt = fresh.progress()
    if (rebuilt?.position !== progress.position || rebuilt.eventId !== progress.eventId) {
      differences.push(`the log ends at position ${rebuilt?.position}, those in use have come to ${progress.position}`)
    }
    let documents = 0
    for (const { name } of projections) documents += compare(name, used, fresh, progress.position, differences)
    return { position: progress.position, events, documents, differences }
  } finally {
    used.close()
    fresh.close()
    rmSync(directory, { recursive: true, force: true })
  }
}
