import * as E from 'fp-ts/lib/Either.js'
import { LIMITS_HELP, limitsOf, readLimits } from '../people/limits.ts'
import { describe } from '../people/members.ts'
import { changeUser } from '../people/with-user.ts'
import type { Command } from '../terminal/command.ts'
import { misuse } from '../terminal/misuse.ts'

export const userQuotaCommand: Command = {
  name: 'user quota',
  operands: ['NAME', 'QUOTA'],
  options: {},
  summary: 'limits what a tester may reserve',
  example: 'user quota anna hours_per_week=40,reservations_max=20',
  help: `
Changes the quota of the tester with the name or id NAME, which counts within 2 s. Reservations that exceed it stay.
QUOTA default gives the tester the service's quota again, that of BERTH_QUOTA_DEFAULT.

${LIMITS_HELP}`,
  run: async ({ operands: [name = '', typed] }, config, terminal) => {
    const limits = readLimits(typed, undefined)
    if (E.isLeft(limits)) return misuse(terminal, limits.left, userQuotaCommand)
    return changeUser(config, terminal, name, {
      ...{ operation: 'update', body: limits.right },
      line: (user, changed) => `${describe(user)} has the quota ${limitsOf(changed).quota ?? 'of the service'}`,
    })
  },
}
