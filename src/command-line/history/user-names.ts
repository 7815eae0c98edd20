import * as E from 'fp-ts/lib/Either.js'
import type { Config } from '../../config/config.ts'
import type { EventStore } from '../../event-store/event-store.ts'
import { makeVault } from '../../vault/vault.ts'
import { configuredRing } from '../keys/configured-ring.ts'
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
