import * as E from 'fp-ts/lib/Either.js'
import { tokenDecider } from '../../domain/token/decide.ts'
import { tokenStream } from '../../domain/values/ids.ts'
import { StoreUnavailable } from '../../event-store/event-store.ts'
import type { Order, Runner } from '../order.ts'

/**
 * Revokes all tokens of a user.
 *
 * @throws StoreUnavailable
 */
export const revokeTokens = async (
  runner: Pick<Runner, 'run'>,
  user_id: string,
  order: Pick<Order<unknown>, 'actor' | 'requestId' | 'client'>,
): Promise<void> => {
  const command = { type: 'RevokeTokens', user_id } as const
  for (let isOver = false; !isOver; ) {
    const ended = await runner.run(tokenDecider, tokenStream(user_id), { ...order, command })()
    if (E.isLeft(ended)) throw new StoreUnavailable(`tokens were not revoked: ${ended.left.detail}`)
    isOver = ended.right.kind === 'already'
  }
}
