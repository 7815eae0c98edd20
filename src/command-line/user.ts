import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { projections } from '../../projections/index.ts'
import { BEGINNING } from '../event-store/event-store.ts'
import { UnusableViews } from '../read-models/file/unusable-views.ts'
import { openViewsFile, type ViewsFile } from '../read-models/file/views-file.ts'
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

/** Time allowed for a running service to update its views, and the polling interval, in milliseconds. */
const CATCH_UP_WITHIN = 2_000
const POLL_EVERY = 50

/** Waits until a running service has updated its views to the head of the log. */
const waitForViews = async (head: number, views: ViewsFile): Promise<void> => {
  const end = performance.now() + CATCH_UP_WITHIN
  while ((views.progress()?.mark ?? BEGINNING) < head && performance.now() < end) await delay(POLL_EVERY)
}

/** The number of a user's current and future reservations, by the views; undefined without views. */
const reservationsOf = async (config: Config, { now }: Terminal, userId: string): Promise<number | undefined> => {
  try {
    const views = openViewsFile(join(config.data, 'views.db'), projections, { readOnly: true })
    // Without a readable log, count what the views contain.
    const store = await openStoreBeside(config).catch(() => undefined)
    const headOf = async (): Promise<number> => (await store?.head().catch(() => undefined)) ?? BEGINNING
    try {
      await waitForViews(await headOf(), views)
      const endsAfter = Math.floor(now() / 1000)
      const { count } = views.lists.reservations({ user_id: userId, endsAfter, limit: 1, offset: 0 })
      // The count may include newer events. Reading the head again makes them durable.
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

/** Shows help, even with a wrong configuration. */
export const showUserHelp = (args: readonly string[], terminal: Terminal): Promise<number> =>
  runUserCommand(args, { usersFile: '' }, { ...terminal, didYouMean })
