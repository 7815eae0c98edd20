import * as E from 'fp-ts/lib/Either.js'
import { opaqueId } from '../../domain/codec/codec.ts'
import { Role } from '../../domain/events/user.ts'
import { describe, userPath } from '../people/members.ts'
import { withUser } from '../people/with-user.ts'
import { answer, line } from '../service/answer.ts'
import { type Command, DONE, printRefusal } from '../terminal/command.ts'
import { misuse, ROLES } from '../terminal/misuse.ts'

/** The token is shown only once. */
const Issued = answer({ _id: opaqueId }, { token: line })

export const tokenIssueCommand: Command = {
  name: 'token issue',
  operands: ['NAME'],
  options: { name: { type: 'string', isRequired: true }, role: { type: 'string' }, 'expires-in': { type: 'string' } },
  summary: 'issues a token of a user, for scripts',
  example: 'token issue anna --name nightly --expires-in 7776000',
  help: `
Issues a token that takes the place of the password of the user with the name or id NAME. Prints the id of the token
and, on the next line, the token, which is shown only once. --name says what it is for, in 1 to 64 characters.

Requests with it have the --role, which must be one that the user may have, or else the role of the user. It expires
after --expires-in seconds, 60 to 31536000, or else does not expire.`,
  run: ({ operands: [typed = ''], options }, config, terminal) => {
    const { name, role, 'expires-in': seconds } = options
    const refuseUse = (why: string) => Promise.resolve(misuse(terminal, why, tokenIssueCommand))
    if (name === undefined) return refuseUse('a --name is required')
    if (role !== undefined && !Role.is(role)) return refuseUse(`the role must be ${ROLES}`)
    if (seconds !== undefined && !/^\d{1,9}$/.test(String(seconds)))
      return refuseUse('--expires-in must be a whole number of seconds')
    const body = { name, role, ...(seconds !== undefined && { expires_in: Number(seconds) }) }
    return withUser(config, terminal, typed, async (ask, user) => {
      const issued = await ask({ method: 'POST', path: userPath(user, 'token'), body, answer: Issued })
      if (E.isLeft(issued)) return printRefusal(terminal, issued.left.why)
      const { _id, token } = issued.right
      // To a repeated request the service does not show it.
      if (token === undefined) {
        const remedy = `revoke it with: token revoke ${user._id} ${_id}`
        return printRefusal(terminal, `the token of ${describe(user)} was issued, but the answer was lost; ${remedy}`)
      }
      terminal.stdout(`${_id}\n${token}\n`)
      return DONE
    })
  },
}
