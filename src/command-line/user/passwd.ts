import { lookUpUser, userPath } from '../people/members.ts'
import { choosePassword, PASSWORD_HELP } from '../people/password.ts'
import { makeAsk, unread } from '../service/call.ts'
import { type Command, orFail } from '../terminal/command.ts'

export const userPasswdCommand: Command = {
  name: 'user passwd',
  operands: ['NAME'],
  options: { 'password-stdin': { type: 'boolean' } },
  summary: 'changes the password of a user',
  example: 'user passwd anna',
  help: `
Changes the password of the user with the name or id NAME. The old one stops working within 2 s. The
service must run: on its data directory this needs no password.

${PASSWORD_HELP}

Where the vault's key was lost, no name can be read: give the id, then a new name with "user update".`,
  run: async (args, config, terminal) => {
    const { password, isMade } = await choosePassword(args, terminal)
    const ask = makeAsk(config, terminal)
    const path = userPath(await lookUpUser(ask, args.operands[0]), 'password')
    orFail(await ask({ method: 'POST', path, body: { password }, answer: unread }))
    if (isMade) terminal.stdout(`${password}\n`)
  },
}
