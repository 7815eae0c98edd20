import * as E from 'fp-ts/lib/Either.js'
import { opaqueId } from '../../domain/codec/codec.ts'
import { Role } from '../../domain/events/user.ts'
import { LIMITS_HELP, readLimits } from '../people/limits.ts'
import { choosePassword, PASSWORD_HELP } from '../people/password.ts'
import { type Ask, withOwnService } from '../people/with-service.ts'
import { answer } from '../service/answer.ts'
import { type Command, DONE, printRefusal } from '../terminal/command.ts'
import { misuse, ROLES } from '../terminal/misuse.ts'

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
    const { role, id } = args.options
    if (role === undefined) return misuse(terminal, 'a --role is required', userAddCommand)
    if (!Role.is(role)) return misuse(terminal, `the role must be ${ROLES}`, userAddCommand)
    const limits = readLimits(args.options.quota, args.options.scope)
    if (E.isLeft(limits)) return misuse(terminal, limits.left, userAddCommand)
    const chosen = await choosePassword(args, terminal)
    if (E.isLeft(chosen)) return printRefusal(terminal, chosen.left)
    const { password, isMade } = chosen.right
    const body = { name: args.operands[0], role, password, ...limits.right, ...(id !== undefined && { _id: id }) }
    const add = async (ask: Ask): Promise<number> => {
      const added = await ask({ method: 'POST', path: '/api/user/create', body, answer: Added })
      if (E.isLeft(added)) return printRefusal(terminal, added.left.why)
      terminal.stdout(`${added.right._id}\n${isMade ? `${password}\n` : ''}`)
      return DONE
    }
    return withOwnService(config, terminal, add, { mayBegin: true })
  },
}
