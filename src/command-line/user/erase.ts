import * as E from 'fp-ts/lib/Either.js'
import { lookUpUser, userPath } from '../people/members.ts'
import { withService } from '../people/with-service.ts'
import { unread } from '../service/answer.ts'
import { type Command, DONE, printRefusal } from '../terminal/command.ts'

export const userEraseCommand: Command = {
  name: 'user erase',
  operands: ['NAME'],
  options: {},
  summary: 'erases what is personal of a removed user',
  example: 'user erase anna',
  help: `
Erases the name, the password hash, the names of the tokens and the identity at a provider of the removed user with the
name or id NAME, permanently. Histories show the id from then on. Backups and an EventStoreDB need more; see the guide.

Where several removed users had the name, give the id.`,
  run: ({ operands: [name = ''] }, config, terminal) =>
    withService(config, terminal, async (ask) => {
      const found = await lookUpUser(ask, name, ['removed', 'present'])
      if (E.isLeft(found)) return printRefusal(terminal, found.left)
      const erased = await ask({ method: 'POST', path: userPath(found.right, 'erase'), answer: unread })
      if (E.isLeft(erased)) return printRefusal(terminal, erased.left.why)
      terminal.stdout(`erased ${found.right._id}\n`)
      return DONE
    }),
}
