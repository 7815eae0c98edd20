import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { projections } from '../../projections/index.ts'
import { BEFORE_FIRST, type PublicPosition, type StorePosition } from '../domain/values/position.ts'
import { BEGINNING, type EventStore } from '../event-store/event-store.ts'
import { beforeTheFirst, progressAfter } from './file/progress.ts'
import { openViewsFile, type StoredRow, type StoredTable, UnusableViews, type ViewsFile } from './file/views-file.ts'
import { makePending } from './projector/pending.ts'

/** Between reads of a file that another process writes. */
const POLL_INTERVAL_MS = 50

const storePositionOf = (file: Pick<ViewsFile, 'progress'>): StorePosition =>
  file.progress()?.storePosition ?? BEGINNING

async function* eventsBetween(store: EventStore, after: StorePosition, upTo: StorePosition) {
  if (after >= upTo) return
  const stop = new AbortController()
  try {
    for await (const { events, caughtUp } of store.subscribe(after, stop.signal)) {
      yield events.filter(({ storePosition }) => storePosition <= upTo)
      if (caughtUp || (events.at(-1)?.storePosition ?? after) >= upTo) return
    }
  } finally {
    stop.abort()
  }
}

/** Rows folded before they are written. */
const CHUNK = 4_096

/** How rebuilt documents compare with those in use. */
export interface Comparison {
  /** The public position up to which both were compared, -1 for an empty log. */
  readonly position: PublicPosition
  readonly events: number
  readonly documents: number
  /** Events of the log that those in use do not cover yet. */
  readonly behind: number
  /** The first 20 differences, one sentence each. */
  readonly differences: readonly string[]
}

const DIFFERENCES_MAX = 20

/** Folds the log into a file; each call continues up to the given store position. */
const makeRebuild = (store: EventStore, file: ViewsFile, onProgress: (events: number) => void) => {
  const pending = makePending(projections, file)
  let progress = beforeTheFirst(store.logId)
  const write = (): void => {
    file.stage(pending.takeUnstaged())
    file.commit([], progress)
    pending.written()
    onProgress(progress.position + 1)
  }
  return async (upTo: StorePosition): Promise<void> => {
    for await (const events of eventsBetween(store, progress.storePosition, upTo)) {
      for (const event of events) {
        progress = progressAfter(progress, event)
        pending.fold(event, progress.position)
      }
      if (pending.count() >= CHUNK) write()
    }
    write()
  }
}

/** A row with the members of its document. */
const membersOf = ({ document, ...columns }: StoredRow): Readonly<Record<string, unknown>> => ({
  ...columns,
  ...(typeof document === 'string' && JSON.parse(document)),
})

/** Where the rows differ, member by member, or the row that only one of the two files has. */
const describeDifference = ({ name, hasVersions }: StoredTable, inUse?: StoredRow, made?: StoredRow): string => {
  const [used, given] = [membersOf(inUse ?? {}), membersOf(made ?? {})]
  const position = Math.min(...[inUse, made].flatMap((row) => (row === undefined ? [] : [Number(row.position)])))
  const where = hasVersions ? `${name}, ${inUse?.id ?? made?.id}, position ${position}` : name
  if (inUse === undefined) return `${where}: missing in use; the log gives ${JSON.stringify(given)}`
  if (made === undefined) return `${where}: in use ${JSON.stringify(used)}; the log gives nothing`
  const parts = [...new Set([...Object.keys(used), ...Object.keys(given)])].flatMap((member) => {
    const [left, right] = [used, given].map((members) => JSON.stringify(members[member]) ?? 'nothing')
    return left === right ? [] : [`${member}: in use ${left}, the log gives ${right}`]
  })
  return `${where}: ${parts.length > 0 ? parts.join('; ') : 'the same members, stored differently'}`
}

/** Compares a table of both files row by row. Returns the number of rows. */
const compare = (used: StoredTable, fresh: StoredTable, differences: string[]): number => {
  const both = [used, fresh].map((table) => table.rows()[Symbol.iterator]())
  for (let rows = 0; ; rows++) {
    const [inUse, made] = both.map((each) => each.next().value ?? undefined)
    if ((inUse ?? made) === undefined || differences.length >= DIFFERENCES_MAX) return rows
    if (JSON.stringify(inUse) !== JSON.stringify(made)) differences.push(describeDifference(used, inUse, made))
  }
}

const compareAll = (used: ViewsFile, fresh: ViewsFile): Omit<Comparison, 'events' | 'behind'> => {
  const differences: string[] = []
  const [inUse, made] = [used.progress(), fresh.progress()]
  const position = inUse?.position ?? BEFORE_FIRST
  if (made?.position !== position || (inUse !== undefined && made.eventId !== inUse.eventId)) {
    differences.push(`the log ends at position ${made?.position}, the stored documents at ${position}`)
  }
  let documents = 0
  const tables = fresh.tables()
  for (const [n, table] of used.tables().entries()) {
    const rows = compare(table, tables[n] as StoredTable, differences)
    if (table.hasVersions) documents += rows
  }
  return { position, documents, differences }
}

/** Whether there was something to compare: views that have not been written yet differ from nothing. */
export const isCompared = ({ events, behind }: Comparison): boolean => events > 0 || behind === 0

/**
 * Rebuilds the documents from the log in a temporary file, up to the progress of those in use, and compares the two.
 * A running service writes them late: waits at most `within` milliseconds for that.
 *
 * @throws UnusableViews when there are no documents in use, or they are of another log
 */
export const replay = async (
  path: string,
  store: EventStore,
  onProgress: (events: number, of: number) => void = () => undefined,
  within = 0,
): Promise<Comparison> => {
  const used = openViewsFile(path, { readOnly: true })
  const directory = mkdtempSync(join(tmpdir(), 'berth-replay-'))
  const fresh = openViewsFile(join(directory, 'views.db'))
  try {
    const { logId } = used.progress() ?? store
    if (logId !== store.logId) throw new UnusableViews(`${path} was made from another log`)
    const rebuild = makeRebuild(store, fresh, (events) => onProgress(events, (used.progress()?.position ?? -1) + 1))
    const head = await store.head()
    await rebuild(storePositionOf(used))
    const until = performance.now() + within
    while (storePositionOf(used) < head && performance.now() < until) await setTimeout(POLL_INTERVAL_MS)
    // The service keeps writing. Fold what came in since, up to a pinned moment.
    used.pin()
    await rebuild(storePositionOf(used))
    const events = (fresh.progress()?.position ?? -1) + 1
    let behind = 0
    for await (const unwritten of eventsBetween(store, storePositionOf(used), head)) behind += unwritten.length
    return { ...compareAll(used, fresh), events, behind }
  } finally {
    used.close()
    fresh.close()
    rmSync(directory, { recursive: true, force: true })
  }
}
