import * as E from 'fp-ts/lib/Either.js'
import { LIMITS_HELP, limitsOf, readLimits } from '../people/limits.ts'
import { describe, lookUpUser, UserAnswer, userPath } from '../people/members.ts'
import { withService } from '../people/with-service.ts'
import { type Command, DONE, printRefusal } from '../terminal/command.ts'
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
  run: ({ operands: [name = '', typed] }, config, terminal) => {
    const limits = readLimits(typed, undefined)
    if (E.isLeft(limits)) return Promise.resolve(misuse(terminal, limits.left, userQuotaCommand))
    return withService(config, terminal, async (ask) => {
      const found = await lookUpUser(ask, name)
      if (E.isLeft(found)) return printRefusal(terminal, found.left)
      const changed = await ask({
        method: 'POST',
        path: userPath(found.right, 'update'),
        body: limits.right,
        answer: UserAnswer,
      })
      if (E.isLeft(changed)) return printRefusal(terminal, changed.left.why)
      const { quota = 'of the service' } = limitsOf(changed.right)
      terminal.stdout(`${describe(found.right)} has the quota ${quota}\n`)
      return DONE
    })
  },
}
