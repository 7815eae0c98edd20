import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { readFileState } from '../../files/file-state.ts'
import type { Alarms } from '../../telemetry/alarms.ts'
import { parsePasswordHash } from '../../users/passwords/password.ts'
import type { Member } from '../../users/user.ts'
import type { Users } from '../../users/users.ts'
import { readUsersFile, type UserRecord } from '../../users/users-file.ts'
import type { Config } from '../config/config.ts'
import { readImported, saveImported } from './imported-digest.ts'

/** Milliseconds between checks of the file. */
const POLL_EVERY = 2_000
/** Commands in the alarm. */
const NAMED_MAX = 10

interface WatchOptions {
  readonly config: Pick<Config, 'usersFile' | 'data'>
  readonly users: Users
  readonly alarms: Pick<Alarms, 'raise' | 'clear'>
  readonly log: Record<'info' | 'warn', (facts: object, sentence: string) => void>
}

/** An id as a shell takes it. */
const quoted = (id: string): string => (/^[\w.@-]+$/.test(id) ? id : `'${id.replaceAll("'", "'\\''")}'`)

const hasOtherPassword = (users: Users, { name }: Member, { password }: UserRecord): boolean => {
  const [known, written] = [users.credentialOf(name)?.hash, parsePasswordHash(password)]
  if (known === undefined || written === undefined) return false
  return !Buffer.from(known.tag).equals(written.tag) || !Buffer.from(known.salt).equals(written.salt)
}

/** The commands that would make a user what its record is. */
const commandsFor = (users: Users, record: UserRecord): readonly string[] => {
  const { name, role } = record
  const id = quoted(record._id)
  const member = users.member(record._id)
  if (member === undefined) return [`user add NAME --role ${role} --id ${id}`]
  if (member.status !== 'present') return []
  return [
    ...(member.name === name ? [] : [`user rename ${id} NEW_NAME`]),
    ...(member.role === role ? [] : [`user role ${id} ${role}`]),
    ...(hasOtherPassword(users, member, record) ? [`user passwd ${id}`] : []),
  ]
}

/** Users of the import that the file has no more. All of them were added at the same time, as the first. */
const missingFrom = (records: readonly UserRecord[], users: Users): readonly string[] => {
  const members = users.members()
  const ids = new Set(records.map(({ _id }) => _id))
  return members
    .filter(({ status, created_at }) => status === 'present' && created_at === members[0]?.created_at)
    .filter(({ _id }) => !ids.has(_id))
    .map(({ _id }) => `user remove ${quoted(_id)} --reservations keep`)
}

const advise = (commands: readonly string[]): string => {
  if (commands.length === 0) return 'delete it'
  const more = commands.length > NAMED_MAX ? `; and ${commands.length - NAMED_MAX} more` : ''
  return `run what was meant with "berth", then delete it: ${commands.slice(0, NAMED_MAX).join('; ')}${more}`
}

/** One look at the file. It is not read any more, but somebody may still edit it. */
const makeLook = ({ config, users, alarms, log }: WatchOptions) => {
  const { usersFile: path, data } = config
  const raise = (why: string, commands: readonly string[]): void =>
    alarms.raise('usersFile', `${path} ${why}, and is not read any more; ${advise(commands)}`)
  return async (): Promise<void> => {
    const file = await readUsersFile(path)
    if (E.isLeft(file)) {
      if (file.left.kind === 'malformed') return raise('has changed since users were imported', [])
      if (file.left.kind === 'unreadable') log.warn({ problem: file.left.detail }, 'the users file cannot be read')
      return alarms.clear('usersFile', 'the users file is gone')
    }
    const { users: records, digest } = file.right
    const imported = await readImported(data)
    const commands = records.flatMap((record) => commandsFor(users, record))
    if (imported === undefined && commands.length > 0)
      return raise('has users who differ from those of the log', commands)
    if (imported !== undefined && imported !== digest) {
      return raise('has changed since users were imported', [...commands, ...missingFrom(records, users)])
    }
    // Another instance imported it.
    if (imported === undefined) await saveImported(data, digest)
    alarms.clear('usersFile', 'the users file is as it was imported')
    log.info({ file: path }, 'the users file is not read any more and has password hashes: delete it')
  }
}

/** Raises an alarm while there is a users file that somebody has changed. Returns the function that stops watching. */
export const watchUsersFile = async (options: WatchOptions): Promise<() => Promise<void>> => {
  const { config, users, log } = options
  const look = makeLook(options)
  const stop = new AbortController()
  const { signal } = stop
  let seen = 'ENOENT'
  const lookAgain = async (): Promise<void> => {
    const state = await readFileState(config.usersFile)
    // A log without users is about to import the file.
    if (state === seen || users.members().length === 0) return
    seen = state
    await look().catch((err: unknown) => log.warn({ err }, 'the users file could not be compared with the users'))
  }
  await lookAgain()
  const watching = (async () => {
    while (!signal.aborted) {
      await delay(POLL_EVERY, undefined, { signal, ref: false }).catch(() => undefined)
      if (!signal.aborted) await lookAgain()
    }
  })()
  return () => {
    stop.abort()
    return watching
  }
}
