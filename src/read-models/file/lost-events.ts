import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import * as E from 'fp-ts/lib/Either.js'
import { type PublicPosition, type StorePosition, toPublicPosition } from '../../domain/values/position.ts'
import type { EventStore } from '../../event-store/event-store.ts'
import { leafHash } from '../../event-store/stored-event.ts'
import { ExpectedError } from '../../files/expected-error.ts'
import { prepare } from '../../files/sqlite.ts'
import { logContinues, type Progress } from './progress.ts'

/** The views were made from events that the log lacks. */
export class EventsLost extends ExpectedError {}

/** The events that views were made from and their log lacks: either it ends before them, or it has others there. */
export interface LostEvents {
  readonly path: string
  readonly from: PublicPosition
  readonly upTo: PublicPosition
}

interface Indexed {
  readonly storePosition: StorePosition
  readonly leaf: Uint8Array
}

/** The first position at which the log does not have the event that the views were made from. */
const findFirstLost = async (
  indexed: (position: PublicPosition) => Indexed | undefined,
  upTo: PublicPosition,
  store: Pick<EventStore, 'recordAt'>,
): Promise<PublicPosition> => {
  const isInLog = async (position: PublicPosition): Promise<boolean> => {
    const row = indexed(position)
    const record = row && (await store.recordAt(row.storePosition))
    return record !== undefined && Buffer.compare(record.leaf ?? leafHash(record.text), (row as Indexed).leaf) === 0
  }
  let [first, end] = [0, upTo as number]
  while (first < end) {
    const middle = Math.floor((first + end) / 2)
    if (await isInLog(toPublicPosition(middle))) first = middle + 1
    else end = middle
  }
  return toPublicPosition(first)
}

/**
 * Compares the views with their log. Undefined if it has all that they were made from, if there are none, or if they are
 * of another log. Events that were not yet on the disk when the views were written are no loss, since nobody was told of
 * them. Left: what was not compared and why, as a phrase.
 */
export const findLostEvents = async (
  path: string,
  store: EventStore,
): Promise<E.Either<string, LostEvents | undefined>> => {
  if (!existsSync(path)) return E.right(undefined)
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(path, { readOnly: true })
    const progress = prepare<Progress & { readonly synced?: PublicPosition }>(database, 'SELECT * FROM progress').get()
    if (progress?.logId !== store.logId || (await logContinues(store, progress))) return E.right(undefined)
    const indexed = prepare<Indexed>(database, 'SELECT storePosition, leaf FROM log WHERE position = ?')
    const { position: upTo, synced = upTo } = progress
    const from = await findFirstLost((position) => indexed.get(position), upTo, store)
    return E.right(from > synced ? undefined : { path, from, upTo })
  } catch (error) {
    if (!('errcode' in (error as object))) throw error
    return E.left(`whether the views are ahead of the log: ${path} cannot be read: ${(error as Error).message}`)
  } finally {
    database?.close()
  }
}

/** What is lost, as a phrase that the path begins. */
export const describeLoss = ({ path, from, upTo }: LostEvents): string =>
  from === upTo
    ? `${path} was made from an event at position ${from}, which the log lacks`
    : `${path} was made from ${upTo - from + 1} events at positions ${from} to ${upTo}, which the log lacks`
