import { type Command, MISUSED, type Terminal } from './command.ts'
import { usageOf } from './help.ts'

/** Prints what is wrong with the command line. Returns the exit code. */
export const misuse = (
  { stderr }: Terminal,
  why: string,
  command: Pick<Command, 'name' | 'operands' | 'options'>,
): number => {
  stderr(`berth: ${why}\nusage: ${usageOf(command)}\n`)
  return MISUSED
}

export const ROLES = 'administrator, tester or auditor'
