import { type CommandHelp, MISUSED, type Terminal } from './command.ts'
import { usageOf } from './help.ts'

/** Prints what is wrong with the command line, and what is right. Returns the exit code. */
export const explainMisuse = ({ stderr }: Pick<Terminal, 'stderr'>, why: string, usage: string): number => {
  stderr(`berth: ${why}\n${usage}\n`)
  return MISUSED
}

/** The same for a known command. */
export const misuse = (terminal: Terminal, why: string, command: CommandHelp): number =>
  explainMisuse(terminal, why, `usage: ${usageOf(command)}`)

export const ROLES = 'administrator, tester or auditor'
