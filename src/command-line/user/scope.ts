import * as E from 'fp-ts/lib/Either.js'
import { limitsOf, readLimits } from '../people/limits.ts'
import { describe } from '../people/members.ts'
import { changeUser } from '../people/with-user.ts'
import type { Command } from '../terminal/command.ts'
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
  run: async ({ operands: [name = '', typed] }, config, terminal) => {
    const limits = readLimits(undefined, typed)
    if (E.isLeft(limits)) return misuse(terminal, limits.left, userScopeCommand)
    return changeUser(config, terminal, name, {
      ...{ operation: 'update', body: limits.right },
      line: (user, changed) => {
        const { scope } = limitsOf(changed)
        return `${describe(user)} has ${scope === undefined ? 'every SUT' : `the scope ${scope}`}`
      },
    })
  },
}
