import type { Member, User } from '../domain/user/user.ts'
import { foldName, meantBy } from '../domain/values/user-name.ts'
import { makeCatchUpUsers, makeSharedReading, NOTHING_TO_CATCH_UP } from './catch-up.ts'
import { type Credential, type LoadOptions, makeLoad, type UserEntry } from './load-users.ts'

/** A user's epoch and the id of the change that set it. */
export interface Epoch {
  readonly id: string
  readonly clear: string
}

/** The current users. Removed ones are known by id only. */
export type Users = Awaited<ReturnType<typeof openUsers>>

export interface UsersOptions extends LoadOptions {
  readonly isShared: boolean
  /** Calls the listener when events of users have been recorded. Returns a function that ends this. */
  readonly watch: (listener: () => void) => () => void
  /** Called when users cannot be read any more. They are read again until they can. */
  readonly onError: (error: unknown) => void
  readonly onRecovery: () => void
}

/** Before a failed reading is repeated. */
const RETRY_DELAY_MS = 1_000

const indexOf = (entries: readonly UserEntry[]) => {
  const present = entries.filter(({ user }) => user !== undefined)
  const identified = entries.flatMap(({ secrets: { identity }, member }) => {
    const clear = identity?.clear
    return identity === undefined || clear === undefined ? [] : [{ id: identity.id, clear, member }]
  })
  // An id in place of a name that cannot be read is no name.
  const named = present.filter(({ secrets }) => secrets.name !== undefined)
  return {
    entries,
    byId: new Map(entries.map((entry) => [entry.member._id, entry])),
    byName: Map.groupBy(named, ({ member }) => foldName(member.name)),
    list: present.map(({ user }) => user as User),
    identities: new Map(identified.map(({ id, clear }) => [id, clear])),
    byIdentity: new Map(identified.map(({ clear, member }) => [clear, member])),
    names: new Map(present.map(({ member }) => [member.secrets.name ?? '', foldName(member.name)])),
  }
}

const findByName = ({ byName }: ReturnType<typeof indexOf>, name: string): UserEntry | undefined => {
  const [found, ...others] = meantBy(name, byName.get(foldName(name)) ?? [], ({ member }) => member.name)
  return others.length === 0 ? found : undefined
}

const lookUps = (index: () => ReturnType<typeof indexOf>) => ({
  byId: (id: string): User | undefined => index().byId.get(id)?.user,
  /** In order of creation. */
  list: (): readonly User[] => index().list,
  /** All that have been, in order of creation. */
  members: (): readonly Member[] => index().entries.map(({ member }) => member),
  member: (id: string): Member | undefined => index().byId.get(id)?.member,
  /** The random value that a user's sessions depend on; undefined if there is none or it cannot be read. */
  epochOf: (id: string): Epoch | undefined => {
    const epoch = index().byId.get(id)?.secrets.epoch
    return epoch?.clear === undefined ? undefined : { ...epoch, clear: epoch.clear }
  },
  /** Of those that have a password, in any case of the name. */
  credentialOf: (name: string): Credential | undefined => findByName(index(), name)?.credential,
  isCurrent: (credential: Credential): boolean => index().byId.get(credential.user._id)?.credential === credential,
  /** Names of present users, folded, by the id of their secret. */
  names: (): ReadonlyMap<string, string> => index().names,
  /** Identities at the provider of single sign-on by the id of their secret, also of removed users. */
  identities: (): ReadonlyMap<string, string> => index().identities,
  byIdentity: (identity: string): Member | undefined => index().byIdentity.get(identity),
})

/**
 * Keeps all users in memory: from the events of their stream, and names and password hashes from the vault. If they
 * cannot be read at first, there are none until they can.
 */
export const openUsers = async (options: UsersOptions) => {
  const load = makeLoad(options)
  const listeners = new Set<() => void>()
  let index = indexOf([])
  let isClosed = false
  let hasFailed = false
  let retrying: NodeJS.Timeout | undefined

  const read = async (): Promise<void> => {
    const entries = await load(index.byId)
    const isChanged = entries.length !== index.entries.length || entries.some((entry, n) => entry !== index.entries[n])
    if (!isChanged) return
    index = indexOf(entries)
    for (const listener of listeners) listener()
  }

  const refresh = makeSharedReading(read)
  let following: Promise<void> | undefined

  const follow = async (): Promise<void> => {
    const reading = refresh()
    following = reading
    try {
      await reading
      if (hasFailed) options.onRecovery()
      hasFailed = false
    } catch (error) {
      if (isClosed) return
      if (!hasFailed) options.onError(error)
      hasFailed = true
      retrying ??= setTimeout(() => {
        retrying = undefined
        void follow()
      }, RETRY_DELAY_MS)
    } finally {
      if (following === reading) following = undefined
    }
  }

  // Watched before they are read: what is recorded meanwhile is read too.
  const unwatch = options.watch(() => void follow())
  await follow()
  return {
    ...lookUps(() => index),
    /** Calls the listener after each change. The returned function unsubscribes. */
    onChange: (listener: () => void): (() => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** Whether the last reading that the log caused failed. */
    isFailing: (): boolean => hasFailed,
    refresh,
    /** The same before an id is called unknown: another instance may have just made the user. */
    catchUp: options.isShared ? makeCatchUpUsers(refresh) : NOTHING_TO_CATCH_UP,
    /**
     * Resolves when what the views show is known here too; undefined when it is. Readings that requests cause do not
     * count: they would never end while clients ask for unknown ids.
     */
    settled: (): Promise<void> | undefined => following,
    close: (): void => {
      isClosed = true
      clearTimeout(retrying)
      unwatch()
    },
  }
}
