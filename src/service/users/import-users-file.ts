import { rename } from 'node:fs/promises'
import * as E from 'fp-ts/lib/Either.js'
import { foldName } from '../../domain/values/user-name.ts'
import { readUsersFile, type UsersFile } from '../../users/users-file.ts'
import type { Config } from '../config/config.ts'
import { saveImported } from './imported-digest.ts'
import { type RecordOptions, recordUsers } from './record-users.ts'

/** Users that one append can add: EventStoreDB takes a megabyte. */
const IMPORT_MAX = 2_000

type Refusable<A> = Promise<E.Either<readonly string[], A>>

/** Names that fold to the same one. */
const collisions = (path: string, { users, lines }: UsersFile): readonly string[] => {
  const first = new Map<string, number>()
  const placeOf = (n: number): string => `line ${lines[n]} (/users/${n})`
  return users.flatMap(({ name }, n) => {
    const before = first.get(foldName(name))
    first.set(foldName(name), before ?? n)
    if (before === undefined) return []
    const why = 'since upper and lower case count as the same; give one of them another name'
    return [`${path}: ${placeOf(n)} has the name of ${placeOf(before)}, ${why}`]
  })
}

/** The users file, if it has users. Left: why it cannot be imported. */
export const readImportable = async ({
  usersFile: path,
}: Pick<Config, 'usersFile'>): Refusable<UsersFile | undefined> => {
  const file = await readUsersFile(path)
  if (E.isLeft(file)) return file.left.kind === 'absent' ? E.right(undefined) : E.left([file.left.detail])
  const { users } = file.right
  const tooMany = users.length > IMPORT_MAX ? [`${path} has more than ${IMPORT_MAX} users`] : []
  const problems = [...tooMany, ...collisions(path, file.right)]
  if (problems.length > 0) return E.left(problems)
  return E.right(users.length === 0 ? undefined : file.right)
}

const importUsers = async (options: RecordOptions, file: UsersFile): Promise<void> => {
  const { config, world } = options
  const { usersFile: path, data } = config
  // Before the users: a crash in between imports the file again.
  await saveImported(data, file.digest)
  if (!(await recordUsers(options, file.users))) return
  const kept = `${path}.imported`
  const isRenamed = await rename(path, kept).then(
    () => true,
    () => false,
  )
  const testers = file.users.filter(({ role }) => role === 'tester').length
  world.log.info(
    { users: file.users.length, testers_without_limits: testers, file: isRenamed ? kept : path },
    'users imported into the log; the file has password hashes and is not read any more: delete it',
  )
}

/**
 * Imports the users file into a log without users, if there is one. Left: why it cannot be imported.
 *
 * @throws StoreUnavailable
 */
export const importUsersFile = async (options: RecordOptions): Refusable<void> => {
  const { config, users } = options
  // In this order: another instance that imports the file renames it after the import.
  const file = await readImportable(config)
  await users.refresh()
  if (users.members().length > 0) return E.right(undefined)
  if (E.isLeft(file)) return file
  if (file.right !== undefined) await importUsers(options, file.right)
  return E.right(undefined)
}
