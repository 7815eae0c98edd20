import { foldName, meantBy } from '../domain/values/user-name.ts'
import { type CatchUpUsers, makeCatchUpUsers, NOTHING_TO_CATCH_UP } from './catch-up.ts'
import { type Credential, type LoadOptions, makeLoad, type UserEntry, type UserSecret } from './load-users.ts'
import type { Member, User } from './user.ts'

/** One read at a time. Callers during a read share the next one. */
const makeRefresh = (read: () => Promise<void>): (() => Promise<void>) => {
  let reading = Promise.resolve()
  let next: Promise<void> | undefined
  const readNext = (): Promise<void> => {
    next = undefined
    reading = read()
    return reading
  }
  return () => {
    next ??= reading.catch(() => undefined).then(readNext)
    return next
  }
}

/** A user's epoch and the id of the change that set it. */
export interface Epoch {
  readonly id: string
  readonly clear: string
}

interface Refresh {
  /** Reads what has been recorded until now. */
  readonly refresh: () => Promise<void>
  /** The same before an id is called unknown: another instance may have just made the user. */
  readonly catchUp: CatchUpUsers
  /** Resolves when what the views show is known here too; undefined when it is. */
  readonly settled: () => Promise<void> | undefined
}

/** The current users. Removed ones are known by id only. */
export interface Users extends Refresh {
  readonly byId: (id: string) => User | undefined
  /** By name, in any case. */
  readonly byName: (name: string) => User | undefined
  /** In order of creation. */
  readonly list: () => readonly User[]
  /** All that have been, in order of creation. */
  readonly members: () => readonly Member[]
  readonly member: (id: string) => Member | undefined
  /** The random value that a user's sessions depend on; undefined if there is none or it cannot be read. */
  readonly epochOf: (id: string) => Epoch | undefined
  /** Of those that have a password, in any case of the name. */
  readonly credentialOf: (name: string) => Credential | undefined
  /** Whether a user still has this credential. */
  readonly isCurrent: (credential: Credential) => boolean
  /** Names of present users, folded, by the id of their secret. */
  readonly names: () => ReadonlyMap<string, string>
  /** Identities at the provider of single sign-on by the id of their secret, also of removed users. */
  readonly identities: () => ReadonlyMap<string, string>
  readonly byIdentity: (identity: string) => Member | undefined
  /** Calls the listener after each change. The returned function unsubscribes. */
  readonly onChange: (listener: () => void) => () => void
  readonly close: () => void
}

export interface UsersOptions extends LoadOptions {
  /** Whether other instances may change users. */
  readonly isShared: boolean
  /** Calls the listener when events of users have been recorded. Returns a function that ends this. */
  readonly watch: (listener: () => void) => () => void
  /** Called when users cannot be read; they are read again. */
  readonly onError: (error: unknown) => void
  /** Called when they have been read after that. */
  readonly onRecovery: () => void
}

/** Before a failed reading is repeated. */
const RETRY_DELAY_MS = 1_000

/** Looks users up by id and name. */
const indexOf = (entries: readonly UserEntry[]) => {
  const present = entries.filter(({ user }) => user !== undefined)
  const identified = entries.flatMap(({ secrets: { identity }, member }) => {
    const clear = identity?.open()
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
    names: new Map(present.map(({ state, member }) => [state.secrets.name ?? '', foldName(member.name)])),
  }
}

const opened = (secret: UserSecret | undefined): Epoch | undefined => {
  const clear = secret?.open()
  return secret === undefined || clear === undefined ? undefined : { id: secret.id, clear }
}

const findByName = ({ byName }: ReturnType<typeof indexOf>, name: string): UserEntry | undefined => {
  const [found, ...others] = meantBy(name, byName.get(foldName(name)) ?? [], ({ member }) => member.name)
  return others.length === 0 ? found : undefined
}

/** What is read of the users as they are. */
const lookUps = (index: () => ReturnType<typeof indexOf>): Omit<Users, keyof Refresh | 'onChange' | 'close'> => ({
  byId: (id) => index().byId.get(id)?.user,
  byName: (name) => findByName(index(), name)?.user,
  list: () => index().list,
  members: () => index().entries.map(({ member }) => member),
  member: (id) => index().byId.get(id)?.member,
  epochOf: (id) => opened(index().byId.get(id)?.secrets.epoch),
  credentialOf: (name) => findByName(index(), name)?.credential,
  isCurrent: (credential) => index().byId.get(credential.user._id)?.credential === credential,
  names: () => index().names,
  identities: () => index().identities,
  byIdentity: (identity) => index().byIdentity.get(identity),
})

/**
 * Keeps all users in memory: from the events of their stream, and names and password hashes from the vault. If they
 * cannot be read at first, there are none until they can.
 */
export const openUsers = async (options: UsersOptions): Promise<Users> => {
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

  const refresh = makeRefresh(read)
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
      hasFailed = true
      options.onError(error)
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
    onChange: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    refresh,
    catchUp: options.isShared ? makeCatchUpUsers(refresh) : NOTHING_TO_CATCH_UP,
    // Readings that requests cause do not count: they would never end while clients ask for unknown ids.
    settled: () => following,
    close: () => {
      isClosed = true
      clearTimeout(retrying)
      unwatch()
    },
  }
}
