import * as E from 'fp-ts/lib/Either.js'
import { tokenDecider } from '../../domain/token/decide.ts'
import { tokenStream } from '../../domain/values/ids.ts'
import { StoreUnavailable } from '../../event-store/event-store.ts'
import type { CommandEnvelope, Runner } from '../command-envelope.ts'

interface Revocation extends Pick<CommandEnvelope<unknown>, 'actor' | 'client'> {
  /** Called once tokens are to be revoked. */
  readonly makeRequestId: () => string
  /** Called when the tokens are known: if false, none is revoked. */
  readonly isStillDue?: () => Promise<boolean>
}

/**
 * Revokes all tokens that a user has now.
 *
 * @throws StoreUnavailable
 */
export const revokeTokens = async (
  runner: Pick<Runner, 'run' | 'inspect'>,
  user_id: string,
  { makeRequestId, isStillDue = async () => true, ...rest }: Revocation,
): Promise<void> => {
  const stream = tokenStream(user_id)
  const ids = await runner.inspect(tokenDecider, stream, ({ tokens }) => new Set(tokens.map(({ _id }) => _id)))
  if (ids.size === 0 || !(await isStillDue())) return
  const envelope = { ...rest, requestId: makeRequestId(), command: { type: 'RevokeTokens', user_id, ids } } as const
  for (let isOver = false; !isOver; ) {
    const ended = await runner.run(tokenDecider, stream, envelope)
    if (E.isLeft(ended)) throw new StoreUnavailable(`tokens were not revoked: ${ended.left.detail}`)
    isOver = ended.right.kind === 'already'
  }
}
