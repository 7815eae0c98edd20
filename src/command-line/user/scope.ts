import * as E from 'fp-ts/lib/Either.js'
import { limitsOf, readLimits } from '../people/limits.ts'
import { describe, lookUpUser, UserAnswer, userPath } from '../people/members.ts'
import { withService } from '../people/with-service.ts'
import { type Command, DONE, printRefusal } from '../terminal/command.ts'
import { misuse } from '../terminal/misuse.ts'

export const userScopeCommand: Command = {
  name: 'user scope',
  operands: ['NAME', 'SELECTOR'],
  options: {},
  summary: 'limits the SUTs that a tester sees',
  example: 'user scope anna team=qa1,rack=4',
  help: `
Gives the tester with the name or id NAME the SUTs that have all the tags of SELECTOR, which counts within 2 s. At most
16 tags, with %25, %2C and %3D for "%", "," and "=" in values. SELECTOR "" gives every SUT. Only testers have scopes.`,
  run: ({ operands: [name = '', typed] }, config, terminal) => {
    const limits = readLimits(undefined, typed)
    if (E.isLeft(limits)) return Promise.resolve(misuse(terminal, limits.left, userScopeCommand))
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
      const { scope } = limitsOf(changed.right)
      terminal.stdout(`${describe(found.right)} has ${scope === undefined ? 'every SUT' : `the scope ${scope}`}\n`)
      return DONE
    })
  },
}
