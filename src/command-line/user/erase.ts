import { changeUser } from '../people/with-user.ts'
import type { Command } from '../terminal/command.ts'

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
    changeUser(config, terminal, name, {
      ...{ operation: 'erase', statuses: ['removed', 'present'] },
      line: ({ _id }) => `erased ${_id}`,
    }),
}
