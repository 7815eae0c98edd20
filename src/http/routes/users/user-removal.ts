import * as E from 'fp-ts/lib/Either.js'
import type { Outcome } from '../../../commands/command-envelope.ts'
import { BERTH } from '../../../commands/listen-ports.ts'
import { makeIsRemovalInForce, type RemovalOfUser } from '../../../commands/users/removal-in-force.ts'
import { revokeTokens } from '../../../commands/users/revoke-tokens.ts'
import type { Failure } from '../../../domain/failure.ts'
import { userDecider } from '../../../domain/user/decide.ts'
import { USERS_STREAM } from '../../../domain/values/ids.ts'
import type { EndedEarly } from '../../../read-models/lists/upcoming.ts'
import { type UserRemoval, userRemovalBody } from '../../codecs/users.ts'
import { administrators, post, refTo } from '../../protocol/declaration.ts'
import { type Call, envelopeOf, type RouteResult } from '../../protocol/route.ts'
import { viewsBehind } from '../../response/objects.ts'
import type { Parts } from '../parts.ts'

const NONE: EndedEarly = { cancelled: 0, released: 0 }

/** Undefined if the user had been removed already. */
const removalIn = (user_id: string, outcome: Outcome<unknown>): RemovalOfUser | undefined => {
  if (outcome.kind === 'already') return undefined
  return { user_id, revision: outcome.revision }
}

/** What a removal ended, for the answer to a repeated request. */
const endedBy = async (
  { objects }: Parts,
  { user_id, revision }: RemovalOfUser,
): Promise<E.Either<Failure, EndedEarly>> => {
  const removed = objects.asOf('user', user_id, revision)
  if (removed === undefined) return E.left(viewsBehind())
  const read = await objects.readList('endedSince', user_id, removed.position)
  return E.map(({ listed }: { listed: EndedEarly }) => listed)(read)
}

/**
 * Removes a user, revokes its tokens, and then ends the reservations that are not over, if asked to. If that fails, the
 * removal stands, and the process of removals ends them. A restoration stops both.
 */
const remove = async (parts: Parts, call: Call<UserRemoval>): RouteResult => {
  const { runner, users, endReservations } = parts
  const { params, body, requestId } = call
  const _id = params.id ?? ''
  const { reservations } = body
  const command = { type: 'RemoveUser', _id, reservations } as const
  const ended = await runner.run(userDecider, USERS_STREAM, { ...envelopeOf(call), command })
  if (E.isLeft(ended)) return ended
  await users.refresh()
  const removal = removalIn(_id, ended.right)
  if (removal !== undefined) {
    const isInForce = makeIsRemovalInForce(runner)
    await revokeTokens(runner, _id, {
      actor: BERTH,
      makeRequestId: () => requestId,
      isStillDue: () => isInForce(removal),
    })
  }
  const isToEnd = reservations === 'cancel' && removal !== undefined
  const counts = isToEnd ? await endReservations(removal, () => requestId) : NONE
  const isRepeated = isToEnd && ended.right.kind === 'repeated'
  const shown = isRepeated ? await endedBy(parts, removal) : E.right(counts)
  return E.map(({ cancelled, released }: EndedEarly) => ({
    status: 200 as const,
    body: JSON.stringify({ _id, cancelled, released }),
  }))(shown)
}

export const removeUser = post({
  path: '/api/user/:id/remove',
  id: 'removeUser',
  summary: 'Remove a user',
  description:
    'Reservations that are not over stay with "keep"; with "cancel" running ones are released and later ones cancelled, and the answer says how many. The user keeps its name in histories until it is erased.',
  roles: administrators,
  body: userRemovalBody,
  answer: refTo('UserRemoval'),
  refusals: ['user_not_found', 'last_administrator'],
  handler: remove,
})
