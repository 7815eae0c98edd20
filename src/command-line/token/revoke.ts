import * as E from 'fp-ts/lib/Either.js'
import { describe, userPath } from '../people/members.ts'
import { withUser } from '../people/with-user.ts'
import { unread } from '../service/answer.ts'
import { type Command, DONE, printRefusal } from '../terminal/command.ts'

export const tokenRevokeCommand: Command = {
  name: 'token revoke',
  operands: ['NAME', 'TOKEN_ID'],
  options: {},
  summary: 'revokes a token of a user',
  example: 'token revoke anna 6b013ba0b6a9a41fe5bda65e',
  help: `
Revokes the token with the id TOKEN_ID of the user with the name or id NAME. It stops working within 2 s, for good.
"token list" shows the ids.`,
  run: ({ operands: [typed = '', id = ''] }, config, terminal) =>
    withUser(config, terminal, typed, async (ask, user) => {
      const path = userPath(user, `token/${encodeURIComponent(id)}/revoke`)
      const revoked = await ask({ method: 'POST', path, answer: unread })
      if (E.isLeft(revoked)) return printRefusal(terminal, revoked.left.why)
      terminal.stdout(`revoked ${JSON.stringify(revoked.right.name)} of ${describe(user)}\n`)
      return DONE
    }),
}
