import * as E from 'fp-ts/lib/Either.js'
import { makeId, USERS_STREAM } from '../../domain/values/ids.ts'
import { NO_STREAM, StoreUnavailable } from '../../event-store/event-store.ts'
import { FIRST_NAME, type FirstAdministrator } from '../../users/first-administrator.ts'
import { hashPassword, makePassword, PASSWORD_RANDOM_BYTES, SALT_BYTES } from '../../users/passwords/password.ts'
import type { Config } from '../config/config.ts'
import { importUsersFile, readImportable } from './import-users-file.ts'
import { type RecordOptions, recordUsers } from './record-users.ts'

/** The log, as far as it tells whether an administrator may be made. */
interface Log extends Pick<RecordOptions, 'store'> {
  /** Whether several instances may use it. */
  readonly isShared: boolean
  /** Whether it has nothing but what a start records. */
  readonly isNew: boolean
}

type FirstUsersOptions = RecordOptions & Log

type Refusable<A> = Promise<E.Either<readonly string[], A>>

const addAdministrator = async (options: FirstUsersOptions): Promise<FirstAdministrator | undefined> => {
  const { config, world, randomHex } = options
  const { adminPassword } = config
  const password = adminPassword ?? makePassword(world.randomBytes(PASSWORD_RANDOM_BYTES))
  const hash = await hashPassword(password, world.randomBytes(SALT_BYTES))
  const _id = makeId(world.clock(), randomHex(8))
  const isMade = await recordUsers(options, [{ _id, name: FIRST_NAME, role: 'administrator', password: hash }])
  return isMade ? { name: FIRST_NAME, ...(adminPassword === undefined && { password }) } : undefined
}

/** Why no administrator may be made, with the remedy. */
const refuseAdministrator = ({ adminPassword, usersFile }: Config, { isShared, isNew }: Log): string | undefined => {
  if (isShared) {
    return adminPassword === undefined
      ? 'the log has no users: set BERTH_ADMIN_PASSWORD to have an administrator made'
      : undefined
  }
  if (isNew) return undefined
  const remedy = 'npm run berth -- user add NAME --role administrator'
  return `the log has no users, and there is no ${usersFile}: restore it, or use ${remedy}`
}

/** An EventStoreDB may be unavailable. Then it is not known yet. */
const mayHaveUsers = async ({ store, isShared }: Log): Promise<boolean> => {
  try {
    for await (const _ of store.readStream(USERS_STREAM, NO_STREAM)) return true
    return false
  } catch (error) {
    if (isShared && error instanceof StoreUnavailable) return true
    throw error
  }
}

/** Why a log without users cannot get its first ones. Checked before anything is recorded. */
export const checkFirstUsers = async (config: Config, log: Log): Refusable<void> => {
  // In this order: another instance that imports the file renames it after the import.
  const file = await readImportable(config)
  if (await mayHaveUsers(log)) return E.right(undefined)
  if (E.isLeft(file)) return file
  const why = file.right === undefined ? refuseAdministrator(config, log) : undefined
  return why === undefined ? E.right(undefined) : E.left([why])
}

/**
 * Gives a log without users its first ones: those of the users file, or else an administrator if the log is new. Of
 * several instances, one does it. Left: why there are none, with the remedy.
 */
export const makeFirstUsers = async (options: FirstUsersOptions): Refusable<FirstAdministrator | undefined> => {
  const { config, users } = options
  const imported = await importUsersFile(options)
  if (E.isLeft(imported)) return imported
  if (users.members().length > 0) return E.right(undefined)
  const why = refuseAdministrator(config, options)
  return why === undefined ? E.right(await addAdministrator(options)) : E.left([why])
}
