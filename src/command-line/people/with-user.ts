import * as E from 'fp-ts/lib/Either.js'
import type { Config } from '../../config/config.ts'
import { DONE, printRefusal, type Terminal } from '../terminal/command.ts'
import { lookUpUser, type Status, UserAnswer, userPath } from './members.ts'
import { type Ask, withService } from './with-service.ts'

/** As withService, with the user that a command line means. @param statuses whose names count, the first ones first */
export const withUser = (
  config: Config,
  terminal: Terminal,
  typed: string,
  run: (ask: Ask, user: UserAnswer) => Promise<number>,
  statuses?: readonly Status[],
): Promise<number> =>
  withService(config, terminal, async (ask) => {
    const found = await lookUpUser(ask, typed, statuses)
    return E.isLeft(found) ? printRefusal(terminal, found.left) : run(ask, found.right)
  })

interface UserChange {
  readonly operation: string
  readonly body?: object
  readonly line: (before: UserAnswer, after: UserAnswer) => string
  readonly statuses?: readonly Status[]
}

/** Changes the user that a command line means, and prints a line about it. */
export const changeUser = (
  config: Config,
  terminal: Terminal,
  typed: string,
  { operation, body, line, statuses }: UserChange,
): Promise<number> =>
  withUser(
    config,
    terminal,
    typed,
    async (ask, user) => {
      const path = userPath(user, operation)
      const changed = await ask({ method: 'POST', path, ...(body && { body }), answer: UserAnswer })
      if (E.isLeft(changed)) return printRefusal(terminal, changed.left.why)
      terminal.stdout(`${line(user, changed.right)}\n`)
      return DONE
    },
    statuses,
  )
