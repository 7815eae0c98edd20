import * as E from 'fp-ts/lib/Either.js'
import { growTree } from '../audit/merkle-tree.ts'
import type { SealedSecret } from '../domain/sealed-secret.ts'
import type { StorePosition } from '../domain/values/position.ts'
import { type AppendFailure, BEGINNING, type EventStore } from '../event-store/event-store.ts'
import type { EventStoreDb } from '../event-store/eventstoredb/store.ts'
import { leafHash } from '../event-store/stored-event.ts'
import { sealedWith } from '../vault/needs.ts'
import { readKnownKeyIds } from '../vault/vault.ts'
import { type EventRun, flatten, runsOf, type Stored, seriesOf, toAppend } from './series.ts'

/** Secrets copied per page. */
const SECRETS = 500

export interface Copied {
  readonly events: number
  /** How many of them an earlier run had copied. */
  readonly found: number
  readonly secrets: number
  /** The head of the Merkle tree over both logs, in base64. */
  readonly root: string
}

/** A store that may support several appends in flight while keeping their order. */
export type CopyTarget = EventStore & Partial<Pick<EventStoreDb, 'appendSeries'>>

interface CopyOptions {
  readonly source: EventStore
  readonly target: CopyTarget
  /** Called with the number of events in the target and in the source. */
  readonly onProgress: (done: number, of: number) => void
}

/** The number of events and the head of the tree over them, as stored. */
export const treeOf = async (store: EventStore): Promise<{ events: number; root: string }> => {
  const tree = growTree()
  for await (const { text } of flatten(store.records(BEGINNING))) tree.add(leafHash(text))
  return { events: tree.size(), root: Buffer.from(tree.root()).toString('base64') }
}

/** The point in the source at which the target ends. The target must be a prefix of the source. */
const findResumePoint = async ({
  source,
  target,
}: CopyOptions): Promise<E.Either<string, { storePosition: StorePosition; count: number }>> => {
  const own = flatten(source.records(BEGINNING))
  let resumed = { storePosition: BEGINNING, count: 0 }
  for await (const { text } of flatten(target.records(BEGINNING))) {
    const { value, done } = await own.next()
    if (done || value.text !== text) {
      return E.left(`the target is not empty: its event ${resumed.count} is not in the source`)
    }
    resumed = { storePosition: value.storePosition, count: resumed.count + 1 }
  }
  return E.right(resumed)
}

const AGAIN = 'run the copy again to resume'
const why: Readonly<Record<AppendFailure, string>> = {
  moved: 'another program has written to the target',
  full: `the target is full; once it has room, ${AGAIN}`,
  unavailable: `the target cannot be reached; once it can, ${AGAIN}`,
  unknown: `the target has stopped answering; once it answers, ${AGAIN}`,
}

/** Whether the target's events after a store position are a prefix of the series. */
const isBeginningOf = async (
  target: EventStore,
  after: StorePosition,
  series: readonly EventRun[],
): Promise<boolean> => {
  const wanted = series.flatMap(({ events }) => events)
  let n = 0
  for await (const { text } of flatten(target.records(after))) {
    const { id, stream, revision } = JSON.parse(text) as Stored
    const event = wanted[n++]
    if (event?.id !== id || event.stream !== stream || event.revision !== revision) return false
  }
  return true
}

const DISORDER = 'the target has stored events in another order; copy into an empty one'

const copyEvents = async (
  { source, target, onProgress }: CopyOptions,
  from: { storePosition: StorePosition; count: number },
  of: number,
): Promise<E.Either<string, void>> => {
  let done = from.count
  onProgress(done, of)

  /** Appends run by run. An append that is there already is recognised and not repeated. */
  const oneByOne = async (series: readonly EventRun[]): Promise<E.Either<string, void>> => {
    for (const run of series) {
      const { stream, expected, events } = toAppend(run)
      const appended = await target.append(stream, expected, events)
      if (E.isLeft(appended)) return E.left(`stopped after event ${done - 1}: ${why[appended.left]}`)
      done += events.length
      onProgress(done, of)
    }
    return E.right(undefined)
  }

  for await (const series of seriesOf(runsOf(source, from.storePosition))) {
    const before = target.appendSeries === undefined ? undefined : await target.head()
    const sent = before === undefined ? undefined : await target.appendSeries?.(series.map(toAppend))
    if (sent !== undefined && E.isRight(sent)) {
      done += series.reduce((sum, { events }) => sum + events.length, 0)
      onProgress(done, of)
      continue
    }
    if (before !== undefined && !(await isBeginningOf(target, before, series))) return E.left(DISORDER)
    const appended = await oneByOne(series)
    if (E.isLeft(appended)) return appended
  }
  return E.right(undefined)
}

/** All sealed secrets, including key check values. */
async function* secretsOf(store: EventStore): AsyncGenerator<readonly SealedSecret[]> {
  for (const keyId of await readKnownKeyIds(store)) yield* sealedWith(store, keyId, SECRETS)
}

/** Vault keys are not copied. */
const copySecrets = async ({ source, target }: CopyOptions): Promise<number> => {
  const [names, owners] = [new Set<string>(), new Set<string>()]
  const nameOf = ({ owner, field }: SealedSecret): string => `${owner}/${field}`
  for await (const page of secretsOf(source)) {
    await target.writeSecrets(page)
    for (const secret of page) {
      names.add(nameOf(secret))
      owners.add(secret.owner)
    }
  }
  // Remove secrets that an earlier run copied and the source has deleted since.
  for await (const page of secretsOf(target)) {
    for (const { owner } of page) if (!owners.has(owner)) await target.eraseSecrets(owner)
    await target.exchangeSecrets(page.filter((secret) => !names.has(nameOf(secret))).map((old) => ({ old })))
  }
  return names.size
}

/**
 * Copies a log without writers, including its secrets, into a store that is empty or holds the beginning of such a
 * copy. Order, ids, revisions and the resulting tree stay the same. Left: why the copy is incomplete.
 *
 * @throws StoreUnavailable when either store cannot be read
 */
export const copyLog = async (options: CopyOptions): Promise<E.Either<string, Copied>> => {
  const resumed = await findResumePoint(options)
  if (E.isLeft(resumed)) return resumed
  const whole = await treeOf(options.source)
  const copied = await copyEvents(options, resumed.right, whole.events)
  if (E.isLeft(copied)) return copied
  const secrets = await copySecrets(options)
  const made = await treeOf(options.target)
  if (made.root !== whole.root) {
    return E.left(
      `the target has ${made.events} events with the root ${made.root}, the source ${whole.events} with ${whole.root}`,
    )
  }
  return E.right({ events: whole.events, found: resumed.right.count, secrets, root: whole.root })
}
