import * as E from 'fp-ts/lib/Either.js'
import { withService } from '../people/ask.ts'
import { describe, findUser, pathOf } from '../people/members.ts'
import { unread } from '../service/answer.ts'
import { type Command, DONE, refuse } from '../terminal/command.ts'

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
      const found = await findUser(ask, name, ['removed', 'present'])
      if (E.isLeft(found)) return refuse(terminal, found.left)
      const restored = await ask({ method: 'POST', path: pathOf(found.right, 'restore'), answer: unread })
      if (E.isLeft(restored)) return refuse(terminal, restored.left.why)
      terminal.stdout(`restored ${describe(found.right)}\n`)
      return DONE
    }),
}
