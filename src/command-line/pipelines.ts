import * as E from 'fp-ts/lib/Either.js'
import { keyChecks } from '../app/config/checks/keys.ts'
import { readConfig } from '../app/config/config.ts'
import { RESERVE_OPTIONS } from '../client/arguments.ts'
import { asksHelp, runClient } from '../client/client.ts'
import { CONNECT_OPTIONS, LIST_OPTIONS } from '../client/commands.ts'
import { CONNECT_HELP, EXIT_CODES, LIST_HELP, RELEASE_HELP, RESERVE_HELP } from '../client/help.ts'
import type { Environment, Target } from '../client/service/credentials.ts'
import { LIMITS } from '../client/service/limits.ts'
import { targetOf } from './service/call.ts'
import { type ClientCommand, type CommandHelp, DONE, Misused } from './terminal/command.ts'
import { helpOf } from './terminal/help.ts'

/** The commands of the client that pipelines download. */

const commandOf = (
  help: Omit<CommandHelp, 'exitCodes'>,
  findTarget?: (environment: Environment) => Target,
): ClientCommand => {
  const command: ClientCommand = {
    ...help,
    exitCodes: EXIT_CODES,
    runClient: async (args, environment, terminal) => {
      if (!asksHelp(args)) return runClient([help.name, ...args], environment, terminal, LIMITS, findTarget)
      terminal.stdout(helpOf(command))
      return DONE
    },
  }
  return command
}

/** The service at BERTH_URL, or the one that runs on BERTH_DATA. */
const findService = (environment: Environment): Target => {
  const config = readConfig(environment, keyChecks)
  if (E.isLeft(config)) throw new Misused(config.left)
  return targetOf(config.right)
}

export const reserveCommand = commandOf({ ...RESERVE_HELP, options: RESERVE_OPTIONS })
export const releaseCommand = commandOf({ ...RELEASE_HELP, operands: ['RESERVATION'] })
export const listCommand = commandOf({ ...LIST_HELP, options: LIST_OPTIONS })
export const connectCommand = commandOf({ ...CONNECT_HELP, options: CONNECT_OPTIONS }, findService)
