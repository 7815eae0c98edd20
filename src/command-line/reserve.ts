import { RESERVE_OPTIONS } from '../client/arguments.ts'
import { asksHelp, runClient } from '../client/client.ts'
import { EXIT_CODES, RESERVE_HELP } from '../client/help.ts'
import { type ClientCommand, DONE } from './terminal/command.ts'
import { helpOf } from './terminal/help.ts'

export const reserveCommand: ClientCommand = {
  ...RESERVE_HELP,
  operands: [],
  options: RESERVE_OPTIONS,
  exitCodes: EXIT_CODES,
  runClient: async (args, environment, terminal) => {
    if (!asksHelp(args)) return runClient([RESERVE_HELP.name, ...args], environment, terminal)
    terminal.stdout(helpOf(reserveCommand))
    return DONE
  },
}
