import { Role } from '../../domain/events/user.ts'
import { describe, type UserAnswer } from '../people/members.ts'
import { changeUser } from '../people/with-user.ts'
import type { Command } from '../terminal/command.ts'
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
  run: async ({ operands: [name = '', role] }, config, terminal) => {
    if (!Role.is(role)) return misuse(terminal, `the role must be ${ROLES}`, userRoleCommand)
    const line = (user: UserAnswer) => `${describe(user)} is ${role}`
    return changeUser(config, terminal, name, { operation: 'update', body: { role }, line })
  },
}
