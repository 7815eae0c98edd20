import * as E from 'fp-ts/lib/Either.js'
import type { Outcome } from '../../commands/order.ts'
import type { Failure } from '../../domain/failure.ts'
import { failure } from '../../domain/failure.ts'
import { isAssignedId } from '../../domain/values/ids.ts'
import type { EventStore } from '../../event-store/event-store.ts'
import type { Lists } from '../../read-models/lists/lists.ts'
import type { ListReads, ListResult } from '../../read-models/long-reads.ts'
import type { Version } from '../../read-models/tables/version.ts'
import type { Views } from '../../read-models/views.ts'
import type { RouteResponse } from '../protocol/route.ts'

/** Milliseconds that an answer waits for the views. */
const VIEWS_TIMEOUT = 5_000

export type Kind = 'sut' | 'reservation'

/** Answers with SUTs and reservations as the views have them, and from the log itself when they cannot keep up. */
export interface Objects {
  /** The object as of the end of a command, whatever has come in meanwhile. */
  readonly after: (kind: Kind, id: string, stream: string, outcome: Outcome<unknown>) => Version | Promise<Version>
  /** The answer to a command recorded earlier, wherever that was. */
  readonly asOf: (kind: Kind, id: string, revision: number) => Version | undefined
  /** The object as it stands, `undefined` only when the store has no such object. */
  readonly newest: (kind: Kind, id: string) => Promise<E.Either<Failure, Version | undefined>>
  /** The same, after catching up with the store. */
  readonly latest: (kind: Kind, id: string) => Promise<E.Either<Failure, Version | undefined>>
  /** What is read from lists of all that was answered so far, and the public position that it shows. */
  readonly readLists: <A>(read: (lists: Lists) => A) => Promise<E.Either<Failure, ListResult<A>>>
  /** A list that may be long: then it is read in another thread. */
  readonly readList: <Name extends keyof ListReads>(
    name: Name,
    ...given: Parameters<ListReads[Name]>
  ) => Promise<E.Either<Failure, ListResult<ReturnType<ListReads[Name]>>>>
}

const viewsBehind = (): Failure => failure('unavailable', 'The documents are behind the log at the moment; try again.')

const listsUnavailable = (): Failure =>
  failure('unavailable', 'Lists cannot be read while documents cannot be written.')

export const makeObjects = (views: Views, store: EventStore): Objects => {
  /** The last mark answered from the log: reads that come after must not show less. */
  let answered = -1

  const fromLog = async (kind: Kind, id: string, revision: number, stream: string): Promise<Version> => {
    const { version, mark } = await views.fromLog(kind, id, revision, stream)
    answered = Math.max(answered, mark)
    return version
  }

  /** Undefined also where the views cannot be read: what has been recorded is answered, whatever became of them. */
  const fromViews = (kind: Kind, id: string, revision: number): Version | undefined => {
    try {
      return views.asOf(kind, id, revision)
    } catch {
      return undefined
    }
  }

  /** Shows all that has been folded, whenever the object itself changed last. */
  const current = (kind: Kind, id: string): Version | undefined => {
    const version = views.newest(kind, id)
    return version && { ...version, position: views.position() }
  }

  const latest: Objects['latest'] = async (kind, id) =>
    (await views.waitForStorePosition(await store.head(), VIEWS_TIMEOUT))
      ? E.right(current(kind, id))
      : E.left(viewsBehind())

  return {
    after: (kind, id, stream, { revision, mark }) => {
      const shown = (isReached: boolean) =>
        (isReached ? fromViews(kind, id, revision) : undefined) ?? fromLog(kind, id, revision, stream)
      const reached = views.waitForStorePosition(mark, VIEWS_TIMEOUT)
      return typeof reached === 'boolean' ? shown(reached) : reached.then(shown)
    },
    asOf: views.asOf,
    newest: async (kind, id) => {
      if (!isAssignedId(id)) return E.right(undefined)
      if (!(await views.waitForStorePosition(answered, VIEWS_TIMEOUT))) return E.left(viewsBehind())
      const version = current(kind, id)
      if (version !== undefined) return E.right(version)
      // Another instance may have written it: before saying that there is none, catch up with the store.
      return latest(kind, id)
    },
    latest,
    readLists: async (read) => {
      if (!(await views.waitForStorePosition(answered, VIEWS_TIMEOUT))) return E.left(viewsBehind())
      const lists = views.lists()
      return lists === undefined
        ? E.left(listsUnavailable())
        : E.right({ position: views.position(), listed: read(lists) })
    },
    readList: async (name, ...given) => {
      if (!(await views.waitForStorePosition(answered, VIEWS_TIMEOUT))) return E.left(viewsBehind())
      const shown = views.read(name, ...given)
      return shown === undefined ? E.left(listsUnavailable()) : E.right(await shown)
    },
  }
}

/** The answer that shows an object; a SUT's ETag is the revision of its record. */
export const documentResponse = (
  kind: Kind,
  { position, id, revision, document }: Version,
  created: boolean,
): RouteResponse => ({
  status: created ? 201 : 200,
  body: document,
  ...(position >= 0 && { position }),
  headers: {
    ...(kind === 'sut' && { ETag: `"${revision}"` }),
    ...(created && { Location: `/api/${kind === 'sut' ? 'sut' : 'sut_reservation'}/${id}` }),
  },
})
