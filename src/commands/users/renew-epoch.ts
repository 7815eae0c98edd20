import { EPOCH_BYTES } from '../../domain/events/user.ts'
import { userDecider } from '../../domain/user/decide.ts'
import { USERS_STREAM } from '../../domain/values/ids.ts'
import type { CommandEnvelope } from '../command-envelope.ts'
import type { ProvisionOptions } from './provision-user.ts'

/** Gives a user another epoch, which ends all sessions that began with its logins. */
export const renewEpoch = (
  { runner, vault, randomHex }: Pick<ProvisionOptions, 'runner' | 'vault' | 'randomHex'>,
  _id: string,
  envelope: Omit<CommandEnvelope<unknown>, 'command' | 'secrets'>,
) => {
  const { credentials, secrets } = vault.sealUser(_id, { epoch: randomHex(EPOCH_BYTES) })
  const command = { type: 'ChangeUser', _id, credentials } as const
  return runner.run(userDecider, USERS_STREAM, { ...envelope, command, secrets })
}
