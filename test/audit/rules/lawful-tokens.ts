import type { CommandEnvelope, Runner } from '../../../src/commands/command-envelope.ts'
import { BERTH } from '../../../src/commands/listen-ports.ts'
import { revokeTokens } from '../../../src/commands/users/revoke-tokens.ts'
import type { Actor } from '../../../src/domain/decider.ts'
import { tokenDecider } from '../../../src/domain/token/decide.ts'
import type { UserState } from '../../../src/domain/user/state.ts'
import { tokenStream } from '../../../src/domain/values/ids.ts'
import { formatMilliseconds } from '../../../src/domain/values/instant.ts'
import { administrator } from '../../domain/builders.ts'
import { randomHex } from '../../event-store/new-events.ts'

interface Story {
  readonly runner: Runner
  readonly clock: () => number
  readonly number: (below: number) => number
  readonly one: <A>(of: readonly A[]) => A
  /** What an order of this step has beside its command. */
  readonly by: (actor: Actor, step: number) => Omit<CommandEnvelope<unknown>, 'command'>
}

/** Random commands on the tokens of a user, as of its state. The service revokes those of removed users. */
export const makeTokenStory = ({ runner, clock, number, one, by }: Story) => {
  return async ({ _id: user_id, role, status }: UserState, step: number): Promise<void> => {
    const stream = tokenStream(user_id)
    if (status !== 'present') return revokeTokens(runner, user_id, { actor: BERTH, makeRequestId: () => randomHex(8) })
    const { tokens } = await runner.inspect(tokenDecider, stream, (state) => state)
    const envelope = by(one([administrator, { _id: user_id, role }]), step)
    const old = tokens[number(tokens.length + 1)]
    if (old !== undefined) {
      const command = { type: 'RevokeToken', _id: old._id, user_id } as const
      await runner.run(tokenDecider, stream, { ...envelope, command })
      return
    }
    const _id = randomHex(12)
    const credentials = { id: randomHex(12), changed: [_id] }
    const expires_at = formatMilliseconds(clock() + 60_000 * (1 + number(60)))
    const token = { _id, user_id, role, hash: randomHex(32), credentials, ...(number(2) === 0 && { expires_at }) }
    await runner.run(tokenDecider, stream, { ...envelope, command: { type: 'IssueToken', token } })
  }
}
