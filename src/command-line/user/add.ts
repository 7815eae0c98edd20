import * as E from 'fp-ts/lib/Either.js'
import { opaqueId } from '../../domain/codec/codec.ts'
import { LIMITS_HELP, readLimits, readRole } from '../people/limits.ts'
import { choosePassword, PASSWORD_HELP } from '../people/password.ts'
import { answer, makeAsk } from '../service/call.ts'
import { type Command, CommandFailure, orFail, WrongUsage } from '../terminal/command.ts'

const Added = answer({ _id: opaqueId }, {})

export const userAddCommand: Command = {
  name: 'user add',
  operands: ['NAME'],
  options: {
    role: { type: 'string', isRequired: true },
    id: { type: 'string' },
    quota: { type: 'string' },
    scope: { type: 'string' },
    'password-stdin': { type: 'boolean' },
  },
  summary: 'adds a user',
  example: 'user add anna --role tester',
  help: `
Adds a user with the --role administrator, tester or auditor. Prints the id of the user and, on the next line, the
password if it is a random one. NAME has 1 to 128 characters, without ":" and invisible ones, without white space at
either end, does not begin with "berth_", and does not mix scripts, such as Latin and Cyrillic. Upper and lower case
count as the same. --id sets the id.

--quota and --scope limit a tester from the start.
${LIMITS_HELP}

${PASSWORD_HELP}

  printf %s "$PASSWORD" | npx berth user add bob --role auditor --password-stdin`,
  run: async (args, config, terminal) => {
    const { role, id, quota, scope } = args.options
    if (role === undefined) throw new WrongUsage('a --role is required')
    const fields = { name: args.operands[0], role: readRole(role), ...readLimits(quota, scope) }
    const { password, isMade } = await choosePassword(args, terminal)
    const body = { ...fields, password, ...(id !== undefined && { _id: id }) }
    const added = await makeAsk(config, terminal)({ method: 'POST', path: '/api/user/create', body, answer: Added })
    if (E.isLeft(added) && added.left.mayHaveActed) {
      const remedy = `if so, a password comes from: user passwd ${args.operands[0]}`
      throw new CommandFailure([added.left.why, `it is not known whether the user was added; ${remedy}`])
    }
    const { _id } = orFail(added)
    terminal.stdout(`${_id}\n${isMade ? `${password}\n` : ''}`)
  },
}
