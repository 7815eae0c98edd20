import type { Recorded } from '../../domain/event.ts'
import { hexAt, makeAssignedIds } from '../state/ids.ts'
import { copyText, type Report } from '../state/state.ts'
import type { UserRules } from './users.ts'

/** The tokens of all users. */
export interface TokenRules {
  /**
   * Checks an event of a token and applies it. Other events are left alone.
   *
   * @param users undefined if they are uncertain
   */
  readonly judge: (
    event: Recorded,
    time: number,
    users: Pick<UserRules, 'mayHaveTokens'> | undefined,
    report: Report,
  ) => void
}

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

type Words = readonly [number, number, number]

const wordsOf = (_id: string): Words => [hexAt(_id, 0, 8), hexAt(_id, 8, 16), hexAt(_id, 16, 24)]

export const makeTokenRules = (): TokenRules => {
  /** Each with twice the number of its user, plus 1 once it has been revoked: 16 to 32 bytes a token. */
  const tokens = makeAssignedIds()
  const numberOf = makeNumbers()

  const issue = (
    { data, metadata }: Extract<Recorded, { readonly type: 'TokenIssued' }>,
    time: number,
    users: Pick<UserRules, 'mayHaveTokens'> | undefined,
    report: Report,
  ): void => {
    const { _id, user_id, role, credentials } = data
    if (!tokens.add(...wordsOf(_id), 2 * numberOf(user_id))) report(`issues the token ${_id} a second time`)
    if (credentials.changed.length !== 1 || credentials.changed[0] !== _id)
      report(`issues the token ${_id} with the name of another`)
    if (metadata.role !== 'administrator' && metadata.role !== role)
      report(`issues a token with the role ${role}, by a ${metadata.role}`)
    if (users?.mayHaveTokens(user_id, time) === false)
      report(`issues a token of the user ${user_id}, who is not present`)
  }

  return {
    judge: (event, time, users, report) => {
      if (event.type === 'TokenIssued') issue(event, time, users, report)
      if (event.type !== 'TokenRevoked') return
      const { _id, user_id, session_until } = event.data
      if (session_until !== undefined) return judgeEndOfSession(event, report)
      const issued = 2 * numberOf(user_id)
      const found = tokens.find(...wordsOf(_id))
      if (found === issued + 1) report(`revokes the token ${_id} a second time`)
      else if (found !== issued) report(`revokes the token ${_id}, which the user ${user_id} does not have`)
      else tokens.change(...wordsOf(_id), issued + 1)
    },
  }
}
