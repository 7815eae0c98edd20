import * as E from 'fp-ts/lib/Either.js'
import type { Config } from '../../config/config.ts'
import type { Recorded } from '../../domain/event.ts'
import type { EventStore, StoredRecord } from '../../event-store/event-store.ts'
import { decodeEvent } from '../../event-store/stored-event.ts'
import { makeVault } from '../../vault/vault.ts'
import { configuredRing } from '../keys/configured-ring.ts'
import { idOfNamed } from '../service/one-named.ts'
import type { Terminal } from '../terminal/command.ts'

/** Names of users by id; undefined where it is not known. */
export type LookUpNames = (ids: readonly string[]) => Promise<ReadonlyMap<string, string | undefined>>

/** Users whose secrets are read at a time. */
const AT_A_TIME = 32

/** Reads names from the vault, once each. Without its key, or of erased users, there are none. */
export const makeLookUpNames = async (
  config: Config,
  store: EventStore,
  { now, randomBytes }: Pick<Terminal, 'now' | 'randomBytes'>,
): Promise<LookUpNames> => {
  const keys = await configuredRing(config)
  const vault = E.isRight(keys) ? makeVault({ store, keys: keys.right, clock: now, randomBytes }) : undefined
  const names = new Map<string, string | undefined>()
  return async (ids) => {
    const unread = vault === undefined ? [] : ids.filter((id) => !names.has(id))
    for (let start = 0; start < unread.length; start += AT_A_TIME) {
      const some = unread.slice(start, start + AT_A_TIME)
      const secrets = await vault?.readUsers(...some)
      for (const [n, id] of some.entries()) {
        const own = secrets?.[n]
        names.set(id, own && E.isRight(own) ? own.right.name?.open() : undefined)
      }
    }
    return names
  }
}

/** The events by which names change hands. In a text within an event these quotes are escaped. */
const NAMING = /"type":"(?:SutCreated|SutUpdated|SutRetired|UserAdded|UserRemoved|UserRestored)"/

/** Follows a log and finds the SUTs and users of a name at its end. A name that several have is a CommandFailure. */
export const makeNamed = () => {
  const suts = new Map<string, { readonly name: string; readonly isGone: boolean }>()
  const users = new Map<string, { readonly isGone: boolean }>()
  const follow = ({ type, data }: Recorded): void => {
    switch (type) {
      case 'SutCreated':
        suts.set(data._id, { name: data.name, isGone: false })
        break
      case 'SutUpdated':
        suts.set(data._id, { name: data.name ?? suts.get(data._id)?.name ?? '', isGone: false })
        break
      case 'SutRetired':
        suts.set(data._id, { name: suts.get(data._id)?.name ?? '', isGone: true })
        break
      case 'UserAdded':
      case 'UserRestored':
        users.set(data._id, { isGone: false })
        break
      case 'UserRemoved':
        users.set(data._id, { isGone: true })
        break
    }
  }
  const listSuts = () => [...suts].map(([_id, sut]) => ({ _id, ...sut }))
  return {
    follow: ({ text, storePosition }: StoredRecord): void => {
      if (NAMING.test(text)) follow(decodeEvent(text, storePosition))
    },
    /** The id of the SUT that a name means. */
    findSut: (typed: string): string | undefined => idOfNamed(typed, listSuts()),
    /** The id of the SUT or user that a name means. */
    find: async (typed: string, namesOf: LookUpNames): Promise<string | undefined> => {
      const names = await namesOf([...users.keys()])
      const named = [...users].map(([_id, { isGone }]) => ({ _id, name: names.get(_id) ?? _id, isGone }))
      return idOfNamed(typed, [...listSuts(), ...named])
    },
  }
}
