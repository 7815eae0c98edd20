import * as E from 'fp-ts/lib/Either.js'
import { readFileState } from '../files/file-state.ts'
import { type PasswordHash, parsePasswordHash } from './password.ts'
import { readUsersFile, type User, type UserRecord, type UsersFileProblem } from './users-file.ts'

/** A user and its password hash. The same object until something of the user changes. */
export interface Credential {
  readonly user: User
  readonly hash: PasswordHash
  readonly record: UserRecord
}

/** Users whose record changed. */
export interface UsersChange {
  readonly removed: readonly User[]
  /** Their new data. */
  readonly changed: readonly User[]
}

/** The current users. */
export interface Users {
  readonly byId: (id: string) => User | undefined
  readonly byName: (name: string) => User | undefined
  /** In order of creation. */
  readonly list: () => readonly User[]
  readonly credentialOf: (name: string) => Credential | undefined
  /** Calls the listener after each change. The returned function unsubscribes. */
  readonly onChange: (listener: (change: UsersChange) => void) => () => void
  readonly close: () => void
}

export type UsersAlarm = { readonly kind: 'broken'; readonly detail: string } | { readonly kind: 'recovered' }

interface UsersOptions {
  readonly path: string
  /**
   * Called once when the file becomes unusable and the last good users stay in use, and once when it is usable again.
   */
  readonly onAlarm: (alarm: UsersAlarm) => void
  /** Poll interval, in milliseconds. */
  readonly interval?: number
}

interface Loaded {
  readonly byId: ReadonlyMap<string, Credential>
  readonly byName: ReadonlyMap<string, Credential>
  readonly list: readonly User[]
}

const isSame = (a: UserRecord, b: UserRecord): boolean =>
  a._id === b._id && a.name === b.name && a.role === b.role && a.password === b.password

const load = (records: readonly UserRecord[], before: ReadonlyMap<string, Credential>): Loaded => {
  const credentials = records.map((record): Credential => {
    const old = before.get(record._id)
    if (old && isSame(old.record, record)) return old
    const { _id, name, role, password } = record
    return { record, user: { _id, name, role }, hash: parsePasswordHash(password) as PasswordHash }
  })
  return {
    byId: new Map(credentials.map((credential) => [credential.user._id, credential])),
    byName: new Map(credentials.map((credential) => [credential.user.name, credential])),
    list: credentials.map(({ user }) => user),
  }
}

const changeOf = (before: Loaded, after: Loaded): UsersChange => ({
  removed: before.list.filter(({ _id }) => !after.byId.has(_id)),
  changed: after.list.filter(({ _id }) => before.byId.has(_id) && before.byId.get(_id) !== after.byId.get(_id)),
})

/** Reads the users file and polls it twice a second. Left if it cannot be read at first. */
export const openUsers = async ({
  path,
  onAlarm,
  interval = 500,
}: UsersOptions): Promise<E.Either<UsersFileProblem, Users>> => {
  // Read the state before the file, so that the next poll detects changes in between.
  let state = await readFileState(path)
  const first = await readUsersFile(path)
  if (E.isLeft(first)) return first
  let current = load(first.right, new Map())
  let broken: UsersFileProblem | undefined
  let isAlarmed = false
  let isClosed = false
  const listeners = new Set<(change: UsersChange) => void>()

  const take = (records: readonly UserRecord[]): void => {
    const before = current
    current = load(records, before.byId)
    broken = undefined
    if (isAlarmed) onAlarm({ kind: 'recovered' })
    isAlarmed = false
    const change = changeOf(before, current)
    for (const listener of listeners) listener(change)
  }

  const look = async (): Promise<void> => {
    const seen = await readFileState(path)
    if (seen === state && broken === undefined) return
    state = seen
    const read = await readUsersFile(path)
    if (isClosed) return
    if (E.isRight(read)) return take(read.right)
    // A file that is broken in one poll only was being written.
    if (broken !== undefined && !isAlarmed) {
      isAlarmed = true
      onAlarm({ kind: 'broken', detail: read.left.detail })
    }
    broken = read.left
  }

  const scheduleNext = (): NodeJS.Timeout =>
    setTimeout(async () => {
      await look()
      if (!isClosed) timer = scheduleNext()
    }, interval)
  let timer = scheduleNext()

  return E.right({
    byId: (id) => current.byId.get(id)?.user,
    byName: (name) => current.byName.get(name)?.user,
    list: () => current.list,
    credentialOf: (name) => current.byName.get(name),
    onChange: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: () => {
      isClosed = true
      clearTimeout(timer)
    },
  })
}
