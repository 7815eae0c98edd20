import { setImmediate as turn } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { runKnowingNames } from '../../../commands/claim-name.ts'
import { EPOCH_BYTES } from '../../../domain/events/user.ts'
import type { SealedSecret } from '../../../domain/sealed-secret.ts'
import type { AddUsers, NewUser } from '../../../domain/user/add-users.ts'
import { userDecider } from '../../../domain/user/decide.ts'
import { USERS_STREAM } from '../../../domain/values/ids.ts'
import { foldName } from '../../../domain/values/user-name.ts'
import { type UserImport, userImportBody } from '../../codecs/user-import.ts'
import { type Call, post, type Route, type RouteResult } from '../../protocol/route.ts'
import { orderOf, type UserDependencies } from './user-changes.ts'

type ImportDependencies = Pick<UserDependencies, 'runner' | 'users' | 'quotaDefault' | 'vault' | 'clock' | 'randomHex'>

/** Users whose secrets are sealed in a turn. */
const SEALED_AT_ONCE = 50

const makeSealAll =
  ({ vault, randomHex }: ImportDependencies) =>
  async (imported: UserImport['users']) => {
    const secrets: SealedSecret[] = []
    const users: NewUser[] = []
    for (const [n, { _id, name, password, ...fields }] of imported.entries()) {
      const clear = { name, epoch: randomHex(EPOCH_BYTES), ...(password !== undefined && { password }) }
      const sealed = vault.sealUser(_id, clear)
      secrets.push(...sealed.secrets)
      users.push({ _id, ...fields, credentials: sealed.credentials, folded: foldName(name) })
      if ((n + 1) % SEALED_AT_ONCE === 0) await turn()
    }
    return { users, secrets }
  }

/**
 * Adds users with the hashes of passwords that the command line made. All or none are added, in one append. Only the
 * control socket has this route: others cannot choose hashes.
 */
export const userImportRoute = (dependencies: ImportDependencies): Route => {
  const { runner, users: known, quotaDefault, clock } = dependencies
  const sealAll = makeSealAll(dependencies)
  const handle = async (call: Call<UserImport>): RouteResult => {
    const { users, secrets } = await sealAll(call.body.users)
    const commandOn = (names: ReadonlyMap<string, string>): AddUsers => ({
      ...{ type: 'AddUsers', users, known: names, quotaDefault },
    })
    const ended = await runKnowingNames<unknown>(known, (names) => {
      const command = commandOn(names)
      if (call.body.dry_run === true)
        return runner.look(userDecider, USERS_STREAM, (state) => userDecider.decide(state, command, clock()))
      // A repetition is known by its ids: a key stands for one object.
      const order = { ...orderOf(call), idempotencyKey: undefined, command, secrets }
      return runner.run(userDecider, USERS_STREAM, order)()
    })
    if (E.isLeft(ended)) return ended
    await known.refresh()
    return E.right({ status: 200, body: JSON.stringify({ users: users.length }) })
  }
  return post({ path: '/api/user/import', may: ['administrator'], body: userImportBody, handle })
}
