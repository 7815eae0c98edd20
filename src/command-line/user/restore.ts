import { describe } from '../people/members.ts'
import { changeUser } from '../people/with-user.ts'
import type { Command } from '../terminal/command.ts'

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
    changeUser(config, terminal, name, {
      ...{ operation: 'restore', statuses: ['removed', 'present'] },
      line: (user) => `restored ${describe(user)}`,
    }),
}
