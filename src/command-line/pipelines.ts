import { RESERVE_OPTIONS } from '../client/arguments.ts'
import { asksHelp, runClient } from '../client/client.ts'
import { LIST_OPTIONS } from '../client/commands.ts'
import { EXIT_CODES, LIST_HELP, RELEASE_HELP, RESERVE_HELP } from '../client/help.ts'
import { type ClientCommand, type CommandHelp, DONE } from './terminal/command.ts'
import { helpOf } from './terminal/help.ts'

/** The commands of the client that pipelines download. `connect` here also asks the service on the data directory. */

const commandOf = (help: Omit<CommandHelp, 'exitCodes'>): ClientCommand => {
  const command: ClientCommand = {
    ...help,
    exitCodes: EXIT_CODES,
    runClient: async (args, environment, terminal) => {
      if (!asksHelp(args)) return runClient([help.name, ...args], environment, terminal)
      terminal.stdout(helpOf(command))
      return DONE
    },
  }
  return command
}

export const reserveCommand = commandOf({ ...RESERVE_HELP, options: RESERVE_OPTIONS })
export const releaseCommand = commandOf({ ...RELEASE_HELP, operands: ['RESERVATION'] })
export const listCommand = commandOf({ ...LIST_HELP, options: LIST_OPTIONS })
