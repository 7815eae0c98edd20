import { limitsOf } from '../people/limits.ts'
import { lookUpUser, readMembers, statusOf, type UserAnswer } from '../people/members.ts'
import { makeAsk } from '../service/call.ts'
import type { Command } from '../terminal/command.ts'

const lineOf = (member: UserAnswer): string => {
  const { _id, role, name } = member
  const status = statusOf(member)
  const limits = Object.entries(limitsOf(member)).map(([what, text]) => `${what} ${text}`)
  return [_id, role ?? '-', name, ...(status === 'present' ? [] : [status]), ...limits].join('\t')
}

export const userListCommand: Command = {
  name: 'user list',
  options: { removed: { type: 'boolean' }, json: { type: 'boolean' } },
  summary: 'lists the users',
  example: 'user list',
  help: `
Prints the users in the order they were added, one per line: id, role and name, separated by tabs. With --removed it
prints removed users too, with "removed" or "erased" as a fourth column. Further columns show the quota and the scope of
testers who have one of their own, each after the word.

With --json it prints {"users":[...]} with the users as GET /api/user shows them.`,
  run: async ({ options }, config, terminal) => {
    const members = await readMembers(makeAsk(config, terminal))
    const users = members.filter((member) => options.removed === true || statusOf(member) === 'present')
    if (options.json) terminal.stdout(`${JSON.stringify({ users })}\n`)
    else if (users.length > 0) terminal.stdout(`${users.map(lineOf).join('\n')}\n`)
    else terminal.stderr('berth: there are no users; add one with: user add NAME --role ROLE\n')
  },
}

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
