import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { appendOwn } from '../../commands/command-envelope.ts'
import { BERTH } from '../../commands/listen-ports.ts'
import type { DataOf } from '../../domain/event.ts'
import { EPOCH_BYTES } from '../../domain/events/user.ts'
import type { SealedSecret } from '../../domain/sealed-secret.ts'
import { makeId, USERS_STREAM } from '../../domain/values/ids.ts'
import { epochMillisecondsOf } from '../../domain/values/instant.ts'
import { NO_STREAM, StoreUnavailable } from '../../event-store/event-store.ts'
import { hashPassword, makePassword, PASSWORD_RANDOM_BYTES, SALT_BYTES } from '../../users/passwords/password.ts'
import { Misconfigured } from '../config/config.ts'
import { type Core, type FirstAdministrator, type FirstUser, type Lab, whenStoreAnswers } from '../core/base.ts'

/** Name of the administrator created at the first start. */
const FIRST_NAME = 'admin'

/**
 * Writes the password to a new file readable only by its owner, for a service without a terminal. Returns its path. The
 * file can be used as BERTH_CREDENTIALS_FILE. In a container every start has the same process id, so its name is random.
 */
export const writePasswordFile = async (data: string, { name, password }: FirstAdministrator): Promise<string> => {
  const file = join(data, `first-password-${randomUUID()}.txt`)
  await writeFile(file, `${name}:${password}\n`, { mode: 0o600, flag: 'wx' })
  return file
}

/** A clock that is ahead is not recorded: the time of the log's last event is. */
const timeOfRecord = async ({ clock, guard, store }: Core): Promise<number> => {
  const now = clock()
  const last = guard.isAhead(now) ? await store.at(await store.head()) : undefined
  return last === undefined ? now : epochMillisecondsOf(last.metadata.time)
}

/**
 * Records the first users, all at once, unless another instance has. True if it was this one.
 *
 * @throws StoreUnavailable
 */
const recordUsers = async (lab: Lab, first: readonly FirstUser[]): Promise<boolean> => {
  const { randomHex, users, vault } = lab
  const secrets: SealedSecret[] = []
  const added: DataOf<'UserAdded'>[] = []
  for (const { name, password, ...user } of first) {
    const sealed = vault.sealUser(user._id, { name, password, epoch: randomHex(EPOCH_BYTES) })
    secrets.push(...sealed.secrets)
    added.push({ ...user, credentials: sealed.credentials })
  }
  const now = await timeOfRecord(lab)
  const events = added.map((data) => ({ type: 'UserAdded', data }) as const)
  const appended = await appendOwn(lab, BERTH, { stream: USERS_STREAM, revision: NO_STREAM, now }, events, secrets)
  if (E.isLeft(appended) && appended.left !== 'moved')
    throw new StoreUnavailable(
      `the first users cannot be recorded: ${appended.left === 'full' ? 'the event store is full' : appended.left}`,
    )
  await users.refresh()
  return E.isRight(appended)
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
    const { config, firstUsers, users, clock, randomBytes, randomHex } = lab
    await users.refresh()
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
