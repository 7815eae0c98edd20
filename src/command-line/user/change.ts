import type { Config } from '../../app/config/config.ts'
import { LIMITS_HELP, limitsOf, readLimits, readRole } from '../people/limits.ts'
import { describe, lookUpUser, type Status, UserAnswer, userPath } from '../people/members.ts'
import { makeAsk } from '../service/call.ts'
import { type Command, orFail, type Terminal } from '../terminal/command.ts'

/** The commands that change a user in one request. */

interface UserChange {
  readonly operation: string
  readonly body?: object
  readonly line: (before: UserAnswer, after: UserAnswer) => string
  /** Whose names count, the first ones first. */
  readonly statuses?: readonly Status[]
}

/** Changes the user that a command line means, and prints a line about it. */
const changeUser = async (
  config: Config,
  terminal: Terminal,
  typed: string | undefined,
  { operation, body, line, statuses }: UserChange,
): Promise<void> => {
  const ask = makeAsk(config, terminal)
  const user = await lookUpUser(ask, typed, statuses)
  const path = userPath(user, operation)
  const changed = orFail(await ask({ method: 'POST', path, ...(body && { body }), answer: UserAnswer }))
  terminal.stdout(`${line(user, changed)}\n`)
}

export const userRoleCommand: Command = {
  name: 'user role',
  operands: ['NAME', 'ROLE'],
  summary: 'changes the role of a user',
  example: 'user role anna administrator',
  help: `
Gives the user with the name or id NAME the role administrator, tester or auditor, which counts within 2 s. The last
administrator keeps the role.`,
  run: async ({ operands: [name, typed] }, config, terminal) => {
    const role = readRole(typed)
    const line = (user: UserAnswer) => `${describe(user)} is ${role}`
    return changeUser(config, terminal, name, { operation: 'update', body: { role }, line })
  },
}

export const userQuotaCommand: Command = {
  name: 'user quota',
  operands: ['NAME', 'QUOTA'],
  summary: 'limits what a tester may reserve',
  example: 'user quota anna hours_per_week=40,reservations_max=20',
  help: `
Changes the quota of the tester with the name or id NAME, which counts within 2 s. Reservations that exceed it stay.
QUOTA default gives the tester the service's quota again, that of BERTH_QUOTA_DEFAULT.

${LIMITS_HELP}`,
  run: async ({ operands: [name, typed] }, config, terminal) =>
    changeUser(config, terminal, name, {
      ...{ operation: 'update', body: readLimits(typed, undefined) },
      line: (user, changed) => `${describe(user)} has the quota ${limitsOf(changed).quota ?? 'of the service'}`,
    }),
}

export const userScopeCommand: Command = {
  name: 'user scope',
  operands: ['NAME', 'SELECTOR'],
  summary: 'limits the SUTs that a tester sees',
  example: 'user scope anna team=qa1,rack=4',
  help: `
Gives the tester with the name or id NAME the SUTs that have all the tags of SELECTOR, which counts within 2 s. At most
16 tags, with %25, %2C and %3D for "%", "," and "=" in values. SELECTOR "" gives every SUT. Only testers have scopes.`,
  run: async ({ operands: [name, typed] }, config, terminal) =>
    changeUser(config, terminal, name, {
      ...{ operation: 'update', body: readLimits(undefined, typed) },
      line: (user, changed) => {
        const { scope } = limitsOf(changed)
        return `${describe(user)} has ${scope === undefined ? 'every SUT' : `the scope ${scope}`}`
      },
    }),
}

export const userRenameCommand: Command = {
  name: 'user rename',
  operands: ['NAME', 'NEW_NAME'],
  summary: 'changes the name of a user',
  example: 'user rename anna anna.svensson',
  help: `
Gives the user with the name or id NAME another name, with which it logs in from now on. The id and the password stay.
NEW_NAME follows the same rules as in "user add".`,
  run: ({ operands: [typed, name] }, config, terminal) =>
    changeUser(config, terminal, typed, {
      ...{ operation: 'update', body: { name } },
      line: (user) => `renamed ${describe(user)} to ${name}`,
    }),
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
    changeUser(config, terminal, name, {
      ...{ operation: 'restore', statuses: ['removed', 'present'] },
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
    changeUser(config, terminal, name, {
      ...{ operation: 'erase', statuses: ['removed', 'present'] },
      line: ({ _id }) => `erased ${_id}`,
    }),
}
