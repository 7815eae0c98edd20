import * as E from 'fp-ts/lib/Either.js'
import { AUDIT_KEY_ID } from '../audit/audit-key.ts'
import { treeOf } from '../audit/merkle-tree.ts'
import type { NewEvent } from '../domain/event.ts'
import type { SealedSecret } from '../domain/sealed-secret.ts'
import type { StorePosition } from '../domain/values/position.ts'
import { type AppendFailure, BEGINNING, type EventStore, type StoredRecord } from '../event-store/event-store.ts'
import { ExpectedError } from '../files/expected-error.ts'
import { sealedWith } from '../vault/needs.ts'
import { readKnownKeyIds } from '../vault/vault.ts'

/** Limits of one append. The server's limit is 1 MiB, including base64 and framing. */
const APPEND_MAX = { events: 500, bytes: 400_000 }

async function* flatten(pages: AsyncIterable<readonly StoredRecord[]>): AsyncGenerator<StoredRecord> {
  for await (const page of pages) yield* page
}

/** Consecutive events of one stream, appended together. */
interface EventRun {
  readonly stream: string
  readonly expected: number
  readonly events: NewEvent[]
  bytes: number
}

/** The events after a store position, grouped into runs. Nothing is decoded, so the bytes stay the same. */
async function* runsOf(source: EventStore, after: StorePosition): AsyncGenerator<EventRun> {
  let run: EventRun | undefined
  for await (const { text } of flatten(source.records(after))) {
    const { stream, revision, id, type, data, metadata } = JSON.parse(text)
    const bytes = Buffer.byteLength(text)
    const isFull = run !== undefined && (run.events.length >= APPEND_MAX.events || run.bytes + bytes > APPEND_MAX.bytes)
    if (run !== undefined && (isFull || run.stream !== stream)) {
      yield run
      run = undefined
    }
    run ??= { stream, expected: revision - 1, events: [], bytes: 0 }
    run.events.push({ id, type, data, metadata })
    run.bytes += bytes
  }
  if (run !== undefined) yield run
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

  for await (const { stream, expected, events } of runsOf(source, from.storePosition)) {
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
  const names = new Map<string, Set<string>>()
  for await (const page of secretsOf(source)) {
    await target.writeSecrets(page)
    for (const { owner, field } of page) names.set(owner, (names.get(owner) ?? new Set()).add(field))
  }
  // Remove secrets that an earlier run copied and the source has deleted since.
  for await (const page of secretsOf(target)) {
    for (const { owner } of page) if (!names.has(owner)) await target.eraseSecrets(owner)
    const gone = page.filter(({ owner, field }) => !names.get(owner)?.has(field))
    await target.exchangeSecrets(gone.map((old) => ({ old })))
  }
  return [...names.values()].reduce((sum, { size }) => sum + size, 0)
}

/**
 * Copies a log without writers, including its secrets, into a store that is empty or holds the beginning of such a
 * copy. Order, ids, revisions and the resulting tree stay the same.
 *
 * @throws CopyFailure | StoreUnavailable when either store cannot be read
 */
export const copyLog = async (options: CopyOptions): Promise<Copied> => {
  const resumed = await findResumePoint(options)
  const whole = await treeOf(options.source.records(BEGINNING))
  const [events, root] = [whole.size(), whole.root().toString('base64')]
  await copyEvents(options, resumed, events)
  const secrets = await copySecrets(options)
  const copy = await treeOf(options.target.records(BEGINNING))
  const rootOfCopy = copy.root().toString('base64')
  if (rootOfCopy !== root) {
    throw new CopyFailure(
      `the target has ${copy.size()} events with the root ${rootOfCopy}, the source ${events} with ${root}`,
    )
  }
  return { events, found: resumed.count, secrets, root }
}
