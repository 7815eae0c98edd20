import type { Config } from '../../app/config/config.ts'
import { describe, lookUpUser, UserAnswer, userPath } from '../people/members.ts'
import { makeAsk } from '../service/call.ts'
import { type Command, orFail, type Terminal } from '../terminal/command.ts'

/** The commands on users who have been removed. */

interface RemovedUserChange {
  readonly operation: string
  readonly line: (user: UserAnswer) => string
}

/** Changes the user that a command line means, whose name counts if it was removed, and prints a line about it. */
const changeRemovedUser = async (
  config: Config,
  terminal: Terminal,
  typed: string | undefined,
  { operation, line }: RemovedUserChange,
): Promise<void> => {
  const ask = makeAsk(config, terminal)
  const user = await lookUpUser(ask, typed, ['removed', 'present'])
  const path = userPath(user, operation)
  const changed = orFail(await ask({ method: 'POST', path, answer: UserAnswer }))
  terminal.stdout(`${line(changed)}\n`)
}

export const userRestoreCommand: Command = {
  name: 'user restore',
  operands: ['NAME'],
  summary: 'restores a removed user',
  example: 'user restore anna',
  help: `
Restores the removed user with the name or id NAME, with the same id, role and password. If another user has
the name by now, rename that one first. Erased users cannot be restored.

Where several removed users had the name, give the id.`,
  run: ({ operands: [name] }, config, terminal) =>
    changeRemovedUser(config, terminal, name, {
      operation: 'restore',
      line: (user) => `restored ${describe(user)}`,
    }),
}

export const userEraseCommand: Command = {
  name: 'user erase',
  operands: ['NAME'],
  summary: 'erases what is personal of a removed user',
  example: 'user erase anna',
  help: `
Erases the name, the password hash, the names of the tokens and the identity at a provider of the removed user with the
name or id NAME, permanently. Histories show the id from then on. Backups and an EventStoreDB need more; see the guide.

Where several removed users had the name, give the id.`,
  run: ({ operands: [name] }, config, terminal) =>
    changeRemovedUser(config, terminal, name, {
      operation: 'erase',
      line: ({ _id }) => `erased ${_id}`,
    }),
}
