import * as E from 'fp-ts/lib/Either.js'
import { lookUpUser, userPath } from '../people/members.ts'
import { choosePassword, PASSWORD_HELP } from '../people/password.ts'
import { type Ask, withOwnService } from '../people/with-service.ts'
import { unread } from '../service/answer.ts'
import { type Command, DONE, printRefusal } from '../terminal/command.ts'

export const userPasswdCommand: Command = {
  name: 'user passwd',
  operands: ['NAME'],
  options: { 'password-stdin': { type: 'boolean' } },
  summary: 'changes the password of a user',
  example: 'user passwd anna',
  help: `
Changes the password of the user with the name or id NAME. The old one stops working within 2 s.

${PASSWORD_HELP}

Where the vault's key was lost, no name can be read: give the id, then a new name with "user rename".`,
  run: async (args, config, terminal) => {
    const chosen = await choosePassword(args, terminal)
    if (E.isLeft(chosen)) return printRefusal(terminal, chosen.left)
    const { password, isMade } = chosen.right
    const change = async (ask: Ask): Promise<number> => {
      const found = await lookUpUser(ask, args.operands[0] ?? '')
      if (E.isLeft(found)) return printRefusal(terminal, found.left)
      const path = userPath(found.right, 'password')
      const changed = await ask({ method: 'POST', path, body: { password }, answer: unread })
      if (E.isLeft(changed)) return printRefusal(terminal, changed.left.why)
      if (isMade) terminal.stdout(`${password}\n`)
      return DONE
    }
    return withOwnService(config, terminal, change, { mayBegin: false })
  },
}
