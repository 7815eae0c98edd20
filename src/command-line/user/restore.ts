import * as E from 'fp-ts/lib/Either.js'
import { describe, lookUpUser, userPath } from '../people/members.ts'
import { withService } from '../people/with-service.ts'
import { unread } from '../service/answer.ts'
import { type Command, DONE, printRefusal } from '../terminal/command.ts'

export const userRestoreCommand: Command = {
  name: 'user restore',
  operands: ['NAME'],
  options: {},
  summary: 'restores a removed user',
  example: 'user restore anna',
  help: `
Restores the removed user with the name or id NAME, with the same id, role and password. If another user has
the name by now, rename that one first. Erased users cannot be restored.

Where several removed users had the name, give the id.`,
  run: ({ operands: [name = ''] }, config, terminal) =>
    withService(config, terminal, async (ask) => {
      const found = await lookUpUser(ask, name, ['removed', 'present'])
      if (E.isLeft(found)) return printRefusal(terminal, found.left)
      const restored = await ask({ method: 'POST', path: userPath(found.right, 'restore'), answer: unread })
      if (E.isLeft(restored)) return printRefusal(terminal, restored.left.why)
      terminal.stdout(`restored ${describe(found.right)}\n`)
      return DONE
    }),
}
