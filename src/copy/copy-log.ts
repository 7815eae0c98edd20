import * as E from 'fp-ts/lib/Either.js'
import { emptyTree, type MerkleTree, treeHead, withLeaf } from '../../projections/merkle-tree.ts'
import { sha256 } from '../audit/sha256.ts'
import type { SealedSecret } from '../domain/sealed-secret.ts'
import type { AppendFailure, EventStore } from '../event-store/event-store.ts'
import type { EventStoreDb } from '../event-store/eventstoredb/store.ts'
import { leafHash } from '../event-store/stored-event.ts'
import { knownKeys } from '../vault/vault.ts'
import { flatten, type Run, runsOf, type Stored, seriesOf, toAppend } from './series.ts'

/** Secrets copied at a time. */
const SECRETS = 500

export interface Copied {
  readonly events: number
  /** Of those, how many had been copied before. */
  readonly found: number
  readonly secrets: number
  /** The head of the Merkle tree over either log, in base64. */
  readonly root: string
}

/** A store that may take several appends at once, and keep their order. */
export type CopyTarget = EventStore & Partial<Pick<EventStoreDb, 'appendSeries'>>

interface CopyOptions {
  readonly source: EventStore
  readonly target: CopyTarget
  /** Told how many events the target has now, of how many. */
  readonly onProgress: (done: number, of: number) => void
}

/** How many events a log has, and the head of the tree over them as they lie there. */
export const treeOf = async (store: EventStore): Promise<{ events: number; root: string }> => {
  let tree: MerkleTree = emptyTree
  for await (const { text } of flatten(store.records(-1))) tree = withLeaf(tree, leafHash(text), sha256)
  return { events: tree.size, root: Buffer.from(treeHead(tree, sha256)).toString('base64') }
}

/** Where the target ends in the source, whose beginning it must be: the source's mark there, and how many events that is. */
const findResumePoint = async ({
  source,
  target,
}: CopyOptions): Promise<E.Either<string, { mark: number; count: number }>> => {
  const own = flatten(source.records(-1))
  let place = { mark: -1, count: 0 }
  for await (const { text } of flatten(target.records(-1))) {
    const { value, done } = await own.next()
    if (done || value.text !== text) {
      return E.left(`the target is not empty: its event ${place.count} is none of the source's`)
    }
    place = { mark: value.mark, count: place.count + 1 }
  }
  return E.right(place)
}

const AGAIN = 'run it again, and it goes on from there'
const why: Readonly<Record<AppendFailure, string>> = {
  moved: 'somebody else has written to the target meanwhile',
  full: `the target has no room left; when it has, ${AGAIN}`,
  unavailable: `the target cannot be reached; when it can, ${AGAIN}`,
  unknown: `the target does not answer any more; when it does, ${AGAIN}`,
}

/** Whether what the target has behind a mark is the beginning of a series: its events in its order. */
const isBeginningOf = async (target: EventStore, after: number, series: readonly Run[]): Promise<boolean> => {
  const wanted = series.flatMap(({ events }) => events)
  let n = 0
  for await (const { text } of flatten(target.records(after))) {
    const { id, stream, revision } = JSON.parse(text) as Stored
    const event = wanted[n++]
    if (event?.id !== id || event.stream !== stream || event.revision !== revision) return false
  }
  return true
}

const DISORDER = 'the target has taken events in another order: copy into an empty one'

const copyEvents = async (
  { source, target, onProgress }: CopyOptions,
  from: { mark: number; count: number },
  of: number,
): Promise<E.Either<string, void>> => {
  let done = from.count

  /** One after the other: an append that is there already is recognised, and not written again. */
  const oneByOne = async (series: readonly Run[]): Promise<E.Either<string, void>> => {
    for (const run of series) {
      const { stream, expected, events } = toAppend(run)
      const appended = await target.append(stream, expected, events)()
      if (E.isLeft(appended)) return E.left(`stopped behind event ${done - 1}: ${why[appended.left]}`)
      done += events.length
      onProgress(done, of)
    }
    return E.right(undefined)
  }

  for await (const series of seriesOf(runsOf(source, from.mark))) {
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

/** Every secret, and the values by which keys are recognised, as they are sealed. */
async function* secretsOf(store: EventStore): AsyncGenerator<readonly SealedSecret[]> {
  for (const keyId of await knownKeys(store)) {
    let page = await store.secretsSealedWith(keyId, undefined, SECRETS)
    while (page.length > 0) {
      yield page
      page = await store.secretsSealedWith(keyId, page.at(-1), SECRETS)
    }
  }
}

/** The keys themselves go another way. */
const copySecrets = async ({ source, target }: CopyOptions): Promise<number> => {
  const places = new Set<string>()
  const nameOf = ({ sut_id, field }: SealedSecret): string => `${sut_id}/${field}`
  for await (const page of secretsOf(source)) {
    await target.writeSecrets(page)
    for (const secret of page) places.add(nameOf(secret))
  }
  // What an earlier run has brought and the source has removed since.
  for await (const page of secretsOf(target)) {
    await target.exchangeSecrets(page.filter((secret) => !places.has(nameOf(secret))).map((old) => ({ old })))
  }
  return places.size
}

/**
 * Copies a log that nobody writes, with its secrets, into a store that is empty or holds the beginning of such a copy: the
 * same events in the same order with the same ids and revisions, and in the end the same tree. Left: why it is not done.
 *
 * @throws StoreUnavailable when either store cannot be read
 */
export const copyLog = async (options: CopyOptions): Promise<E.Either<string, Copied>> => {
  const place = await findResumePoint(options)
  if (E.isLeft(place)) return place
  const whole = await treeOf(options.source)
  const copied = await copyEvents(options, place.right, whole.events)
  if (E.isLeft(copied)) return copied
  const secrets = await copySecrets(options)
  const made = await treeOf(options.target)
  if (made.root !== whole.root) {
    return E.left(
      `the target has ${made.events} events with the root ${made.root}, the source ${whole.events} with ${whole.root}`,
    )
  }
  return E.right({ events: whole.events, found: place.right.count, secrets, root: whole.root })
}
