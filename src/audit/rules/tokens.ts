import type { Recorded } from '../../domain/event.ts'
import { makeAssignedIds } from '../state/ids.ts'
import { copyText, type Report } from '../state/state.ts'
import type { UserRules } from './users.ts'

type Revocation = Extract<Recorded, { readonly type: 'TokenRevoked' }>

/** Sessions are not recorded when they begin. They are ended by their user, at two instances perhaps twice. */
const judgeEndOfSession = ({ data, metadata }: Revocation, report: Report): void => {
  const { _id, user_id } = data
  if (metadata.actor !== user_id) report(`ends the session ${_id} of the user ${user_id}, by ${metadata.actor}`)
}

/** Numbers users, so that a token's user fits beside its id. */
const makeNumbers = (): ((userId: string) => number) => {
  const numbers = new Map<string, number>()
  return (userId) => {
    const known = numbers.get(userId)
    if (known !== undefined) return known
    numbers.set(copyText(userId), numbers.size + 1)
    return numbers.size
  }
}

/**
 * Makes the function that checks an event of a token and applies it. Other events are left alone. `users` is undefined if
 * they are uncertain.
 */
export const makeJudgeToken = () => {
  /** Each with twice the number of its user, plus 1 once it has been revoked: 16 to 32 bytes a token. */
  const tokens = makeAssignedIds()
  const numberOf = makeNumbers()

  const issue = (
    { data, metadata }: Extract<Recorded, { readonly type: 'TokenIssued' }>,
    time: number,
    users: UserRules | undefined,
    report: Report,
  ): void => {
    const { _id, user_id, role, credentials, token_scope } = data
    if (!tokens.add(_id, 2 * numberOf(user_id))) report(`issues the token ${_id} a second time`)
    if (credentials.changed.length !== 1 || credentials.changed[0] !== _id)
      report(`issues the token ${_id} with the name of another`)
    if (metadata.role !== 'administrator' && metadata.role !== role)
      report(`issues a token with the role ${role}, by a ${metadata.role}`)
    if (token_scope !== undefined && role === 'tester')
      report(`issues a token for ${token_scope} with the role ${role}`)
    if (users?.mayHaveTokens(user_id, time) === false)
      report(`issues a token of the user ${user_id}, who is not present`)
  }

  return (event: Recorded, time: number, users: UserRules | undefined, report: Report): void => {
    if (event.type === 'TokenIssued') issue(event, time, users, report)
    if (event.type !== 'TokenRevoked') return
    const { _id, user_id, session_until } = event.data
    if (session_until !== undefined) {
      judgeEndOfSession(event, report)
      return
    }
    const issued = 2 * numberOf(user_id)
    const found = tokens.find(_id)
    if (found === issued + 1) report(`revokes the token ${_id} a second time`)
    else if (found !== issued) report(`revokes the token ${_id}, which the user ${user_id} does not have`)
    else tokens.change(_id, issued + 1)
  }
}
