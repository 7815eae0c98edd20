import { isUtf8 } from 'node:buffer'
import { CommandFailure, type Terminal } from './command.ts'

/** The password on standard input. @throws CommandFailure if it is not UTF-8, without repeating it */
export const readPassword = async ({ stdin }: Pick<Terminal, 'stdin'>): Promise<string> => {
  const bytes = Buffer.from(await stdin())
  if (!isUtf8(bytes)) throw new CommandFailure('the password on standard input is not in UTF-8')
  // `echo` adds a line break.
  return bytes.toString().replace(/\r?\n$/, '')
}
