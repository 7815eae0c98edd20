import { makeAsk } from '../people/ask.ts'
import { limitsOf } from '../people/limits.ts'
import { lookUpUser, statusOf, type UserAnswer } from '../people/members.ts'
import type { Command } from '../terminal/command.ts'

const rowsOf = (member: UserAnswer): string => {
  const { _id: id, name, role, created_at, updated_at, removed_at, erased_at } = member
  const times = { created_at, updated_at, removed_at, erased_at }
  const rows = { id, name, role, ...limitsOf(member), status: statusOf(member), ...times }
  return Object.entries(rows)
    .flatMap(([member, value]) => (value === undefined ? [] : [`${member}\t${value}\n`]))
    .join('')
}

export const userShowCommand: Command = {
  name: 'user show',
  operands: ['NAME'],
  options: { json: { type: 'boolean' } },
  summary: 'shows a user, also a removed one',
  example: 'user show anna',
  help: `
Prints what is known of the user with the name or id NAME, one line each: what it is and the value, separated by a tab.
A removed user is shown if no other one has the name. A tester without a quota has that of the service.

With --json it prints what GET /api/user/<id> answers.`,
  run: async ({ operands: [name], options }, config, terminal) => {
    const user = await lookUpUser(makeAsk(config, terminal), name, ['present', 'removed'])
    terminal.stdout(options.json ? `${JSON.stringify(user)}\n` : rowsOf(user))
  },
}
