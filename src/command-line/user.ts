import { join } from 'node:path'
import { projections } from '../../projections/index.ts'
import type { Config } from '../config.ts'
import { openViewsFile, UnusableViews } from '../read-models/views-file.ts'
import { runUserCommand } from '../users/user-commands.ts'
import type { Terminal } from './command.ts'

/** The commands on users, which read their own arguments. */
export const USER = {
  name: 'user',
  summary: 'adds, lists and removes users, and changes passwords',
  example: 'user add anna --role tester',
} as const

/** How many reservations of a user are not over, as the documents say; undefined where there are none to ask. */
const reservationsOf = (config: Config, { now }: Terminal, userId: string): number | undefined => {
  try {
    const views = openViewsFile(join(config.data, 'views.db'), projections, { readOnly: true })
    try {
      const endsAfter = Math.floor(now() / 1000)
      return views.lists.reservations({ user_id: userId, endsAfter, limit: 1, offset: 0 }).count
    } finally {
      views.close()
    }
  } catch (error) {
    if (error instanceof UnusableViews) return undefined
    throw error
  }
}

export const runUser = (args: readonly string[], config: Config, terminal: Terminal): Promise<number> =>
  runUserCommand(args, config, { ...terminal, reservationsOf: async (id) => reservationsOf(config, terminal, id) })

/** Shows help, for which no configuration has to be right. */
export const showUserHelp = (args: readonly string[], terminal: Terminal): Promise<number> =>
  runUserCommand(args, { usersFile: '' }, terminal)
