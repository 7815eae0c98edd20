import { tokensOwner, userOwner } from '../domain/sealed-secret.ts'
import type { PublicPosition } from '../domain/values/position.ts'

/** A secret according to the log: the change that set it, and the event's position. */
export interface ExpectedSecret {
  readonly id: string
  readonly position: PublicPosition
}

export type ExpectedSecrets = ReturnType<typeof makeExpectedSecrets>

interface Named {
  readonly key?: string
  readonly _id?: string
  readonly user_id?: string
  readonly credentials?: { readonly id: string; readonly changed: readonly string[] }
}

const parseData = (text: string): Named => {
  try {
    return JSON.parse(text).data ?? {}
  } catch {
    return {}
  }
}

/** The type is the last member. Inside a string its quotes would be escaped. */
const typeOf = (text: string): string => {
  const before = '"type":"'
  const at = text.lastIndexOf(before)
  return at === -1 ? '' : text.slice(at + before.length, -'"}'.length)
}

const ownerOf = (type: string, _id: string, userId = ''): string => {
  if (type === 'TokenIssued') return tokensOwner(userId)
  return type === 'UserAdded' || type === 'UserChanged' ? userOwner(_id) : _id
}

/** The current secrets according to the log, by owner and field. */
export const makeExpectedSecrets = () => {
  /** Owners that ever had secrets. An erased user has none. */
  const owners = new Map<string, Map<string, ExpectedSecret>>()
  /** Keys given up as lost. */
  const forgotten = new Set<string>()
  return {
    owners,
    forgotten,
    /** Adds the next stored event. Ignores unreadable events, which other checks report. */
    add: (position: PublicPosition, text: string): void => {
      const type = typeOf(text)
      if (type === 'VaultKeyForgotten') forgotten.add(String(parseData(text).key))
      else if (type === 'UserErased') {
        for (const owner of [userOwner, tokensOwner]) owners.set(owner(String(parseData(text)._id)), new Map())
      }
      if (!text.includes('"credentials":{')) return
      const { _id, user_id, credentials } = parseData(text)
      if (_id === undefined || credentials === undefined) return
      const owner = ownerOf(type, _id, user_id)
      const fields = owners.get(owner) ?? new Map<string, ExpectedSecret>()
      owners.set(owner, fields)
      for (const field of credentials.changed) fields.set(field, { id: credentials.id, position })
    },
  }
}
