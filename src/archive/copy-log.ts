import * as E from 'fp-ts/lib/Either.js'
import { AUDIT_KEY_ID } from '../audit/known-audit-key.ts'
import { growTree } from '../audit/merkle-tree.ts'
import type { NewEvent } from '../domain/event.ts'
import type { SealedSecret } from '../domain/sealed-secret.ts'
import type { StorePosition } from '../domain/values/position.ts'
import { type AppendFailure, BEGINNING, type EventStore, type StoredRecord } from '../event-store/event-store.ts'
import { leafHash } from '../event-store/stored-event.ts'
import { ExpectedError } from '../files/expected-error.ts'
import { sealedWith } from '../vault/needs.ts'
import { readKnownKeyIds } from '../vault/vault.ts'

/** Limits of one append. The server's limit is 1 MiB, including base64 and framing. */
const APPEND_MAX = { events: 500, bytes: 400_000 }

async function* flatten(pages: AsyncIterable<readonly StoredRecord[]>): AsyncGenerator<StoredRecord> {
  for await (const page of pages) yield* page
}

type Stored = NewEvent & { readonly stream: string; readonly revision: number }

/** Consecutive events of one stream, appended together. */
type EventRun = { readonly events: Stored[]; bytes: number }

const joins = ({ events, bytes }: EventRun, { stream }: Stored, size: number): boolean =>
  events[0]?.stream === stream && events.length < APPEND_MAX.events && bytes + size <= APPEND_MAX.bytes

/** The events after a store position, grouped into runs. Nothing is decoded, so the bytes stay the same. */
async function* runsOf(source: EventStore, after: StorePosition): AsyncGenerator<EventRun> {
  let run: EventRun = { events: [], bytes: 0 }
  for await (const { text } of flatten(source.records(after))) {
    const event = JSON.parse(text) as Stored
    const size = Buffer.byteLength(text)
    if (run.events.length > 0 && !joins(run, event, size)) {
      yield run
      run = { events: [], bytes: 0 }
    }
    run.events.push(event)
    run.bytes += size
  }
  if (run.events.length > 0) yield run
}

const toAppend = ({ events }: EventRun) => {
  const [first] = events as readonly Stored[] as [Stored]
  const { stream, revision } = first
  const plain = events.map(({ id, type, data, metadata }) => ({ id, type, data, metadata }) as NewEvent)
  return { stream, expected: revision - 1, events: plain }
}

/** Secrets copied per page. */
const SECRETS = 500

/** The copy is incomplete. */
export class CopyFailure extends ExpectedError {}

export interface Copied {
  readonly events: number
  /** How many of them an earlier run had copied. */
  readonly found: number
  readonly secrets: number
  /** The head of the Merkle tree over both logs, in base64. */
  readonly root: string
}

interface CopyOptions {
  readonly source: EventStore
  readonly target: EventStore
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
const findResumePoint = async ({ source, target }: CopyOptions) => {
  const own = flatten(source.records(BEGINNING))
  let resumed = { storePosition: BEGINNING, count: 0 }
  for await (const { text } of flatten(target.records(BEGINNING))) {
    const { value, done } = await own.next()
    if (done || value.text !== text) {
      throw new CopyFailure(`the target is not empty: its event ${resumed.count} is not in the source`)
    }
    resumed = { storePosition: value.storePosition, count: resumed.count + 1 }
  }
  return resumed
}

const AGAIN = 'run the copy again to resume'
const why: Readonly<Record<AppendFailure, string>> = {
  moved: 'another program has written to the target',
  full: `the target is full; once it has room, ${AGAIN}`,
  unavailable: `the target cannot be reached; once it can, ${AGAIN}`,
  unknown: `the target has stopped answering; once it answers, ${AGAIN}`,
}

const copyEvents = async (
  { source, target, onProgress }: CopyOptions,
  from: { storePosition: StorePosition; count: number },
  of: number,
): Promise<void> => {
  let done = from.count
  onProgress(done, of)

  for await (const run of runsOf(source, from.storePosition)) {
    const { stream, expected, events } = toAppend(run)
    const appended = await target.append(stream, expected, events)
    if (E.isLeft(appended)) throw new CopyFailure(`stopped after event ${done - 1}: ${why[appended.left]}`)
    done += events.length
    onProgress(done, of)
  }
}

/** All sealed secrets, including key check values. */
async function* secretsOf(store: EventStore): AsyncGenerator<readonly SealedSecret[]> {
  for (const keyId of [...(await readKnownKeyIds(store)), AUDIT_KEY_ID]) yield* sealedWith(store, keyId, SECRETS)
}

/** Keys are not copied, but which of them the log knows is. */
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
 * copy. Order, ids, revisions and the resulting tree stay the same.
 *
 * @throws CopyFailure | StoreUnavailable when either store cannot be read
 */
export const copyLog = async (options: CopyOptions): Promise<Copied> => {
  const resumed = await findResumePoint(options)
  const whole = await treeOf(options.source)
  await copyEvents(options, resumed, whole.events)
  const secrets = await copySecrets(options)
  const made = await treeOf(options.target)
  if (made.root !== whole.root) {
    throw new CopyFailure(
      `the target has ${made.events} events with the root ${made.root}, the source ${whole.events} with ${whole.root}`,
    )
  }
  return { events: whole.events, found: resumed.count, secrets, root: whole.root }
}
