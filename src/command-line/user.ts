import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { projections } from '../../projections/index.ts'
import { BEGINNING } from '../event-store/event-store.ts'
import { openViewsFile, UnusableViews, type ViewsFile } from '../read-models/file/views-file.ts'
import type { Config } from '../service/config/config.ts'
import { openStoreBeside } from '../service/open-store.ts'
import { runUserCommand, userCommands } from '../users/user-commands.ts'
import type { Terminal } from './terminal/command.ts'
import { didYouMean } from './terminal/suggest.ts'

/** The commands on users, which parse their own arguments. */
export const USER = {
  name: 'user',
  summary: 'adds, lists and removes users, and changes passwords',
  example: 'user add anna --role tester',
} as const

export const userCommandNames = [...userCommands.keys()].map((name) => `${USER.name} ${name}`)

/** Milliseconds within which a running service has written what it has recorded, and between two looks. */
const WRITTEN_WITHIN = 2_000
const LOOK_EVERY = 50

/** Waits for what a running service has recorded and not yet written into the documents. */
const writtenBehind = async (head: number, views: ViewsFile): Promise<void> => {
  const end = performance.now() + WRITTEN_WITHIN
  while ((views.progress()?.mark ?? BEGINNING) < head && performance.now() < end) await delay(LOOK_EVERY)
}

/** How many reservations of a user are not over, as the documents say; undefined where there are none to ask. */
const reservationsOf = async (config: Config, { now }: Terminal, userId: string): Promise<number | undefined> => {
  try {
    const views = openViewsFile(join(config.data, 'views.db'), projections, { readOnly: true })
    // A log that cannot be asked is no reason to say nothing of what the documents know.
    const store = await openStoreBeside(config).catch(() => undefined)
    const headOf = async (): Promise<number> => (await store?.head().catch(() => undefined)) ?? BEGINNING
    try {
      await writtenBehind(await headOf(), views)
      const endsAfter = Math.floor(now() / 1000)
      const { count } = views.lists.reservations({ user_id: userId, endsAfter, limit: 1, offset: 0 })
      // What has been counted may be newer: it is on the disk when this has been answered.
      await headOf()
      return count
    } finally {
      views.close()
      await store?.close()
    }
  } catch (error) {
    if (error instanceof UnusableViews) return undefined
    throw error
  }
}

export const runUser = (args: readonly string[], config: Config, terminal: Terminal): Promise<number> =>
  runUserCommand(args, config, {
    ...terminal,
    didYouMean,
    reservationsOf: (id) => reservationsOf(config, terminal, id),
  })

/** Shows help, for which no configuration has to be right. */
export const showUserHelp = (args: readonly string[], terminal: Terminal): Promise<number> =>
  runUserCommand(args, { usersFile: '' }, { ...terminal, didYouMean })
