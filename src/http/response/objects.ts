import { hash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { ReservationInternal } from '../../../projections/reservation.ts'
import type { Outcome } from '../../commands/command-envelope.ts'
import { keyReused } from '../../commands/failures.ts'
import type { IdempotencyKey } from '../../commands/idempotency-key.ts'
import { type Failure, failure } from '../../domain/failure.ts'
import { isAssignedId } from '../../domain/values/ids.ts'
import { formatMilliseconds } from '../../domain/values/instant.ts'
import { aliveUntil } from '../../domain/values/keepalive.ts'
import { BEFORE_FIRST, laterPosition, type PublicPosition } from '../../domain/values/position.ts'
import { BEGINNING, type EventStore } from '../../event-store/event-store.ts'
import type { ListResult } from '../../read-models/list-reader.ts'
import type { Lists } from '../../read-models/lists/lists.ts'
import type { Version } from '../../read-models/tables/version.ts'
import type { Views } from '../../read-models/views.ts'
import { waitForHead } from '../../read-models/wait-for-head.ts'
import type { RouteResponse } from '../protocol/call.ts'
import type { Refusal } from '../protocol/problem.ts'

/** What can be read as of a past moment. */
export type Dated = 'sut' | 'reservation'
export type Kind = Dated | 'user' | 'token'
/** What lists have. */
export type Listed = Kind | 'session' | 'series' | 'sut_request'

export const viewsBehind = (): Failure => failure('unavailable', 'This instance is behind the log. Try again.')

const listsUnavailable = (): Failure =>
  failure('unavailable', 'Lists are unavailable while the views cannot be written.')

export const beyondStored = (position: PublicPosition): Failure =>
  failure('store_full', `The disk is full. Lists show the log up to position ${position} only.`)

/** The object, if the store has it. */
type Current = Promise<E.Either<Failure, Version | undefined>>
type Listing<Name extends keyof Lists> = Promise<E.Either<Failure, ListResult<ReturnType<Lists[Name]>>>>

/** Reads objects from the views, or from the log when the views cannot keep up. */
export const makeObjects = (views: Views, store: EventStore) => {
  /** The last store position answered from the log: later reads must not show less. */
  let answered = BEGINNING
  /** The last position of which somebody knows. On a full disk reads by id show more than lists, which are then refused. */
  let acknowledged = BEFORE_FIRST
  const acknowledge = (position: PublicPosition): void => {
    acknowledged = laterPosition(acknowledged, position)
  }
  const isReached = async (): Promise<boolean> => views.waitForStorePosition(answered)

  // Reports the position of the views, not that of the object's last change.
  const current = (kind: Listed, id: string): Version | undefined => {
    const version = views.newest(kind, id)
    if (version === undefined) return undefined
    // A spread of a row of SQLite would cost a read a fiftieth.
    const { revision, document, internal, ended, created, observed } = version
    acknowledge(created)
    return { position: views.position(), revision, id, document, internal, ended, created, observed }
  }

  /** The current object, always after catching up with the store. */
  const latest = async (kind: Listed, id: string): Current => {
    const isReached = await waitForHead(views, store)
    return isReached ? E.right(current(kind, id)) : E.left(viewsBehind())
  }

  return {
    /** The object as of the end of a command, whatever was recorded since. */
    after: async (
      kind: Kind | 'sut_request',
      id: string,
      stream: string,
      { kind: outcome, revision, storePosition }: Pick<Outcome<unknown>, 'kind' | 'revision' | 'storePosition'>,
    ): Promise<Version> => {
      // Where nothing was recorded, the object is shown as it is.
      const withObserved = outcome === 'already'
      if (await views.waitForStorePosition(storePosition)) {
        try {
          const version = views.asOf(kind, id, revision, withObserved)
          if (version !== undefined) return version
        } catch {
          // The command has been recorded and must be answered.
        }
      }
      // When the views cannot keep up.
      const fromLog = await views.fromLog(kind, id, revision, stream, withObserved)
      answered = laterPosition(answered, fromLog.storePosition)
      return fromLog.version
    },
    newest: async (kind: Listed, id: string): Current => {
      // Imported users have ids of any form.
      if (kind !== 'user' && !isAssignedId(id)) return E.right(undefined)
      if (!(await isReached())) return E.left(viewsBehind())
      const version = current(kind, id)
      // Another instance may have written it: catch up with the store before answering that it does not exist.
      return version === undefined ? latest(kind, id) : E.right(version)
    },
    latest,
    /** Reads a list with the public position that it shows, in another thread if it may be long. */
    showList: async <Name extends keyof Lists>(name: Name, ...args: Parameters<Lists[Name]>): Listing<Name> => {
      if (!(await isReached())) return E.left(viewsBehind())
      const least = acknowledged
      const read = await views.readWritten(name, ...args)
      if (read === undefined) return E.left(listsUnavailable())
      return read.position < least ? E.left(beyondStored(read.position)) : E.right(read)
    },
    /** The position that the views have, which show everything answered so far. */
    reached: async () => ((await isReached()) ? E.right(views.position()) : E.left(viewsBehind())),
    /** Called with the position of each write that was acknowledged. */
    acknowledge,
  }
}
export type Objects = ReturnType<typeof makeObjects>

/** Characters of base64url in the entity tag of a text. */
const DIGEST_LENGTH = 22

/** The entity tag of a text that has no revision. */
export const tagOf = (text: string): string => `"${hash('sha256', text, 'base64url').slice(0, DIGEST_LENGTH)}"`

/** Until when a reservation is kept alive, if it has to be. @param now Unix milliseconds; what is over by then is not */
const keptUntil = ({ internal, ended }: Version, now: number): Readonly<Record<string, string>> | undefined => {
  // Most need not be, and parsing would cost each read.
  if (ended !== null || !internal.includes('"keepalive":')) return undefined
  const { keepalive = 0, kept, start, end, lateness } = JSON.parse(internal) as ReservationInternal
  if (end * 1000 <= now) return undefined
  const until = aliveUntil({ keepalive, began: start * 1000 + lateness, kept: kept?.at ?? 0 })
  return { 'Keepalive-Until': formatMilliseconds(until) }
}

/**
 * The response that shows an object. The entity tag of a SUT is the revision of its record and, from the first change
 * that probes found, the number of these. A retry of a create gets it as the first request did, also once it is over.
 *
 * @param now Unix milliseconds, to show until when a reservation is kept alive; a new one shows that without
 */
export const documentResponse = (
  kind: Kind,
  version: Version,
  created: boolean,
  now = created ? 0 : undefined,
): RouteResponse => {
  const { position, id, revision, observed, document } = version
  return {
    status: created ? 201 : 200,
    body: document,
    ...(position >= 0 && { position }),
    headers: {
      ...((kind === 'sut' || kind === 'user') && { ETag: observed ? `"${revision}.${observed}"` : `"${revision}"` }),
      ...(created && {
        Location: `/api/${kind === 'reservation' ? 'sut_reservation' : kind}/${encodeURIComponent(id)}`,
      }),
      ...(kind === 'reservation' && now !== undefined && keptUntil(version, now)),
    },
  }
}

/** The response that a request got before, as far as the views have come. */
export type StoredResponse = (key: IdempotencyKey) => E.Either<Refusal, RouteResponse> | undefined

/**
 * The response a retry key got before, from the views: the object as the first response showed it, byte for byte. What
 * another instance has just recorded may be missing here; the command then finds it in the stream.
 */
export const makeStoredResponse =
  (
    views: Views,
    clock: () => number,
    show: (kind: Kind, version: Version, created: boolean) => RouteResponse,
  ): StoredResponse =>
  ({ candidates }) => {
    for (const candidate of candidates) {
      const known = views.retryKey(candidate, clock())
      if (known === undefined) continue
      const { request, of, _id, revision, created } = known
      if (request !== candidate.slice(23)) return E.left(keyReused())
      const object = views.asOf(of, _id, revision)
      if (object !== undefined) return E.right(show(of, object, created))
    }
    return undefined
  }
