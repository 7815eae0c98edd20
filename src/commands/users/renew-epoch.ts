import { EPOCH_BYTES } from '../../domain/events/user.ts'
import { userDecider } from '../../domain/user/decide.ts'
import { type RandomHex, USERS_STREAM } from '../../domain/values/ids.ts'
import type { Vault } from '../../vault/vault.ts'
import type { CommandEnvelope, Runner } from '../command-envelope.ts'

/** Gives a user another epoch, which ends all sessions that began with its logins. */
export const renewEpoch = (
  { runner, vault, randomHex }: { readonly runner: Runner; readonly vault: Vault; readonly randomHex: RandomHex },
  _id: string,
  envelope: Omit<CommandEnvelope<unknown>, 'command' | 'secrets'>,
) => {
  const { credentials, secrets } = vault.sealUser(_id, { epoch: randomHex(EPOCH_BYTES) })
  const command = { type: 'ChangeUser', _id, credentials } as const
  return runner.run(userDecider, USERS_STREAM, { ...envelope, command, secrets })
}
