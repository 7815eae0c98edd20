import * as E from 'fp-ts/lib/Either.js'
import { describe, lookUpUser, userPath } from '../people/members.ts'
import { withService } from '../people/with-service.ts'
import { unread } from '../service/answer.ts'
import { type Command, DONE, printRefusal } from '../terminal/command.ts'

export const userRenameCommand: Command = {
  name: 'user rename',
  operands: ['NAME', 'NEW_NAME'],
  options: {},
  summary: 'changes the name of a user',
  example: 'user rename anna anna.svensson',
  help: `
Gives the user with the name or id NAME another name, with which it logs in from now on. The id and the password stay.
NEW_NAME follows the same rules as in "user add".`,
  run: ({ operands: [typed = '', name = ''] }, config, terminal) =>
    withService(config, terminal, async (ask) => {
      const found = await lookUpUser(ask, typed)
      if (E.isLeft(found)) return printRefusal(terminal, found.left)
      const changed = await ask({
        method: 'POST',
        path: userPath(found.right, 'update'),
        body: { name },
        answer: unread,
      })
      if (E.isLeft(changed)) return printRefusal(terminal, changed.left.why)
      terminal.stdout(`renamed ${describe(found.right)} to ${name}\n`)
      return DONE
    }),
}
