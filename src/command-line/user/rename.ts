import { describe } from '../people/members.ts'
import { changeUser } from '../people/with-user.ts'
import type { Command } from '../terminal/command.ts'

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
    changeUser(config, terminal, typed, {
      ...{ operation: 'update', body: { name } },
      line: (user) => `renamed ${describe(user)} to ${name}`,
    }),
}
