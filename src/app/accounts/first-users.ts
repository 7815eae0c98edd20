import * as E from 'fp-ts/lib/Either.js'
import { BERTH } from '../../commands/listen-ports.ts'
import { userDecider } from '../../domain/user/decide.ts'
import { makeId, USERS_STREAM } from '../../domain/values/ids.ts'
import { NO_STREAM, StoreUnavailable } from '../../event-store/event-store.ts'
import { addRows } from '../../http/routes/users/user-creation.ts'
import { hashPassword, makePassword, PASSWORD_RANDOM_BYTES, SALT_BYTES } from '../../users/passwords/password.ts'
import { Misconfigured } from '../config/config.ts'
import { type Core, type FirstAdministrator, type FirstUser, type Lab, whenStoreAnswers } from '../core/base.ts'

const FIRST_NAME = 'admin'

/**
 * Records the first users, all at once, unless another instance has. True if it was this one.
 *
 * @throws StoreUnavailable
 */
const recordUsers = async (lab: Lab, first: readonly FirstUser[]): Promise<boolean> => {
  const { runner, config, makeRequestId } = lab
  const envelope = { actor: BERTH, requestId: makeRequestId() }
  const added = await addRows({ ...lab, quotaDefault: config.quotaDefault }, first, (command, secrets) =>
    runner.run(userDecider, USERS_STREAM, { ...envelope, command, secrets }),
  )
  if (E.isRight(added)) return true
  if (added.left.code === 'user_name_taken') return false
  throw new StoreUnavailable(`the first users cannot be recorded: ${added.left.detail}`)
}

/**
 * Called before anything is recorded. Of several instances that share a log, none makes up a password.
 *
 * @throws Misconfigured if a log without users cannot get its first ones, with the remedy
 */
export const checkFirstUsers = (core: Core): Promise<void> =>
  whenStoreAnswers(core, async () => {
    const { config, firstUsers, isShared, store } = core
    if (!isShared || firstUsers !== undefined || config.adminPassword !== undefined) return
    for await (const _ of store.readStream(USERS_STREAM, NO_STREAM)) return
    throw new Misconfigured('the log has no users: set BERTH_ADMIN_PASSWORD to have an administrator made')
  })

/** Gives a log without users its first ones. Of several instances, one does it. */
export const addFirstUsers = (lab: Lab): Promise<FirstAdministrator | undefined> =>
  whenStoreAnswers(lab, async () => {
    const { config, firstUsers, users, isShared, store, clock, randomBytes, randomHex } = lab
    const refreshed = await users.refresh().catch((error: unknown) => error)
    if (refreshed instanceof Error) {
      // The service starts with views of another log too, and says so.
      if (isShared) for await (const _ of store.readStream(USERS_STREAM, NO_STREAM)) return undefined
      throw refreshed
    }
    if (users.members().length > 0) return undefined
    if (firstUsers !== undefined) {
      await recordUsers(lab, await firstUsers())
      return undefined
    }
    const { adminPassword } = config
    const password = adminPassword ?? makePassword(randomBytes(PASSWORD_RANDOM_BYTES))
    const hash = await hashPassword(password, randomBytes(SALT_BYTES))
    const _id = makeId(clock(), randomHex(8))
    const isMade = await recordUsers(lab, [{ _id, name: FIRST_NAME, role: 'administrator', password: hash }])
    return isMade ? { name: FIRST_NAME, ...(adminPassword === undefined && { password }) } : undefined
  })
