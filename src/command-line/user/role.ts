import * as E from 'fp-ts/lib/Either.js'
import { Role } from '../../domain/events/user.ts'
import { describe, lookUpUser, userPath } from '../people/members.ts'
import { withService } from '../people/with-service.ts'
import { unread } from '../service/answer.ts'
import { type Command, DONE, printRefusal } from '../terminal/command.ts'
import { misuse, ROLES } from '../terminal/misuse.ts'

export const userRoleCommand: Command = {
  name: 'user role',
  operands: ['NAME', 'ROLE'],
  options: {},
  summary: 'changes the role of a user',
  example: 'user role anna administrator',
  help: `
Gives the user with the name or id NAME the role administrator, tester or auditor, which counts within 2 s. The last
administrator keeps the role.`,
  run: ({ operands: [name = '', role] }, config, terminal) => {
    if (!Role.is(role)) return Promise.resolve(misuse(terminal, `the role must be ${ROLES}`, userRoleCommand))
    return withService(config, terminal, async (ask) => {
      const found = await lookUpUser(ask, name)
      if (E.isLeft(found)) return printRefusal(terminal, found.left)
      const changed = await ask({
        method: 'POST',
        path: userPath(found.right, 'update'),
        body: { role },
        answer: unread,
      })
      if (E.isLeft(changed)) return printRefusal(terminal, changed.left.why)
      terminal.stdout(`${describe(found.right)} is ${role}\n`)
      return DONE
    })
  },
}
