import { inspect } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import type { Config } from '../../app/config/config.ts'
import type { CommandArguments, CommandHelp } from '../../client/command.ts'
import { ClientFailure, EXIT, visibleLine as printableLine } from '../../client/service/output.ts'
import type { RandomHex } from '../../domain/values/ids.ts'
import type { Clock } from '../../domain/values/units.ts'
import { ExpectedError, explainEnd } from '../../files/expected-error.ts'

export const DONE = 0
/** Refused, failed, or a difference found. */
export const REFUSED = 1
/** A wrong command or a wrong configuration. */
export const MISUSED = 2

/** Input, output and other effects of a command. Outputs take whole lines, but for `redraw`. */
export interface Terminal {
  readonly stdin: () => Promise<Uint8Array>
  readonly stdout: (text: string) => void
  /** Writes to standard output with backpressure. Resolves to the error code, such as `EPIPE` for a closed pipe. */
  readonly send: (text: string) => Promise<string | undefined>
  readonly stderr: (text: string) => void
  /** Replaces the last line of standard error, which is a terminal. */
  readonly redraw: (text: string) => void
  /** The width of standard output if it is a terminal, undefined for a pipe or a file. */
  readonly columns: number | undefined
  readonly isWatched: boolean
  readonly now: Clock
  readonly randomBytes: (size: number) => Uint8Array
  /** Overrides the time that service.ts waits for a service that starts or another command, in milliseconds. */
  readonly waitMax?: number
}

export const randomHexOf =
  ({ randomBytes }: Pick<Terminal, 'randomBytes'>): RandomHex =>
  (bytes) =>
    Buffer.from(randomBytes(bytes)).toString('hex')

export interface Command extends CommandHelp {
  /** Whether it works on files only, wherever a service runs. */
  readonly isOfFiles?: true
  /** Resolves to the exit code, if it is not `DONE`. @throws CommandFailure, Misused, or another ExpectedError */
  readonly run: (args: CommandArguments, config: Config, terminal: Terminal) => Promise<number> | Promise<void>
}

export class CommandFailure extends ExpectedError {}

/** The command line or the configuration is wrong. */
export class Misused extends ExpectedError {
  override readonly exitCode = MISUSED
}

/** The command line is wrong in a way that the usage of the command explains. */
export class WrongUsage extends Misused {}

/** What was asked for. @throws CommandFailure with the reasons why there is none, a sentence each */
export const orFail = <A>(result: E.Either<string | readonly string[], A>): A => {
  if (E.isRight(result)) return result.right
  throw new CommandFailure(result.left)
}

/** How a command ends that the service does not answer, or refuses. */
const explainCall = ({ exitCode, message, mayHaveActed }: ClientFailure) => ({
  exitCode: exitCode === EXIT.usage ? MISUSED : REFUSED,
  sentences: [message, ...(mayHaveActed ? ['it is not known whether the service did what was asked'] : [])],
})

/** Prints why a command ended, and returns its exit code. Only a fault of the program shows its stack. */
export const reportError = (error: unknown, terminal: Pick<Terminal, 'stderr'>): number => {
  const end = error instanceof ClientFailure ? explainCall(error) : explainEnd(error)
  terminal.stderr(end?.sentences.map((sentence) => `berth: ${sentence}\n`).join('') ?? `${inspect(error)}\n`)
  return end?.exitCode ?? REFUSED
}

/**
 * Replaces what is unprintable by its escape in JSON, where it means the same. Otherwise a name in the log, or a service
 * that is not the one that was meant, could write over what a terminal shows, or give it commands. Line breaks stay, also
 * those of CSV.
 */
export const printable = (text: string): string =>
  text
    .split(/(\r?\n)/)
    .map((part, n) => (n % 2 === 1 ? part : printableLine(part)))
    .join('')

/** The same terminal, to which nothing unprintable is written. What goes into a pipe by `send` is left as it is. */
export const makePrintable = (terminal: Terminal): Terminal => {
  const { stdout, send, stderr, redraw, columns } = terminal
  return {
    ...terminal,
    stdout: (text) => stdout(printable(text)),
    send: (text) => send(columns === undefined ? text : printable(text)),
    stderr: (text) => stderr(printable(text)),
    redraw: (text) => redraw(printable(text)),
  }
}
