import { tokensOwner, userOwner } from '../domain/sealed-secret.ts'
import { makePositionCounter, type PublicPosition, type StorePosition } from '../domain/values/position.ts'
import type { EventStore, StoredRecord } from '../event-store/event-store.ts'

/** A secret according to the log: the change that set it, and the event's position. */
export interface ExpectedSecret {
  readonly id: string
  readonly position: PublicPosition
}

interface Named {
  readonly key?: string
  readonly _id?: string
  readonly user_id?: string
  readonly credentials?: { readonly id: string; readonly changed: readonly string[] }
}

const parseEvent = (text: string): { readonly type?: string; readonly data?: Named | null } | null => {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/** Of what stored events have in their text that concern secrets. Most need not be parsed. */
const CONCERNS = /"credentials":\{|"type":"(?:VaultKeyForgotten|UserErased)"/

const ownerOf = (type: string, _id: string, userId = ''): string => {
  if (type === 'TokenIssued') return tokensOwner(userId)
  return type === 'UserAdded' || type === 'UserChanged' ? userOwner(_id) : _id
}

/**
 * The log as it is read, and the current secrets according to it.
 *
 * @param isDense whether store positions are consecutive, as in the embedded store
 */
export const followSecrets = (store: Pick<EventStore, 'records'>, after: StorePosition, isDense: boolean) => {
  const owners = new Map<string, Map<string, ExpectedSecret>>()
  const forgotten = new Set<string>()
  const positionOf = makePositionCounter(isDense)
  let last = after

  /** Adds the next stored event. Ignores unreadable events, which other checks report. */
  const add = (position: PublicPosition, text: string): void => {
    if (!CONCERNS.test(text)) return
    const { type = '', data } = parseEvent(text) ?? {}
    const { key, _id, user_id, credentials } = data ?? {}
    if (type === 'VaultKeyForgotten') forgotten.add(String(key))
    else if (type === 'UserErased') {
      for (const owner of [userOwner, tokensOwner]) owners.set(owner(String(_id)), new Map())
    }
    if (_id === undefined || credentials === undefined) return
    const owner = ownerOf(type, _id, user_id)
    const fields = owners.get(owner) ?? new Map<string, ExpectedSecret>()
    owners.set(owner, fields)
    for (const field of credentials.changed) fields.set(field, { id: credentials.id, position })
  }

  const read = async function* (): AsyncGenerator<readonly StoredRecord[]> {
    for await (const page of store.records(last)) {
      for (const { storePosition, text } of page) {
        last = storePosition
        add(positionOf(storePosition), text)
      }
      yield page
    }
  }
  return {
    records: read(),
    /** By owner and field: all owners that ever had secrets. An erased user has none. */
    owners: owners as ReadonlyMap<string, ReadonlyMap<string, ExpectedSecret>>,
    /** Keys given up as lost. */
    forgotten: forgotten as ReadonlySet<string>,
    /** Reads newer events. */
    catchUp: async (): Promise<void> => {
      for await (const _ of read());
    },
  }
}
