import type { ParseArgsOptionsConfig } from 'node:util'
import type { Config } from '../../service/config/config.ts'

/** The exit codes of every command. */
export const DONE = 0
/** Refused, failed, or a difference found. */
export const REFUSED = 1
/** A wrong command or a wrong configuration. */
export const MISUSED = 2

export const EXIT_CODES =
  'Exit codes: 0 done; 1 refused, failed or a difference found; 2 wrong command or configuration.'

/** What a command takes from the world around it; the outputs take whole lines. */
export interface Terminal {
  readonly stdin: () => Promise<Uint8Array>
  readonly stdout: (text: string) => void
  /** Writes to standard output when there is room; the code of the error, `EPIPE` where nobody reads any more. */
  readonly send: (text: string) => Promise<string | undefined>
  readonly stderr: (text: string) => void
  /** Whether somebody watches standard error. */
  readonly isWatched: boolean
  /** Unix milliseconds. */
  readonly now: () => number
  readonly randomBytes: (size: number) => Uint8Array
}

/** What was typed behind a command. */
export interface Given {
  readonly operands: readonly string[]
  readonly options: Readonly<Record<string, string | boolean | undefined>>
}

export interface Command {
  /** What it is called by: one word, or two where it is one of a group. */
  readonly name: string
  /** What stands behind the name. */
  readonly operands: readonly string[]
  readonly options: ParseArgsOptionsConfig
  /** For the list of commands: half a line. */
  readonly summary: string
  /** An example, as it is typed behind `berth`. */
  readonly example: string
  /** What there is to know, in lines of up to 120 characters. */
  readonly help: string
  /** Where they are not those of every command. */
  readonly exitCodes?: string
  readonly run: (given: Given, config: Config, terminal: Terminal) => Promise<number>
}

/** Columns that it takes, so that there is room for a word before it. */
const USAGE_WIDTH = 105

/** `backup DIR [--json]`: how a command is typed. */
export const usageOf = ({ name, operands, options }: Command): string => {
  const flags = Object.entries(options).map(
    ([flag, { type, multiple }]) => `[--${flag}${type === 'string' ? ' VALUE' : ''}]${multiple ? '...' : ''}`,
  )
  let [usage, width] = [name, name.length]
  for (const part of [...operands, ...flags]) {
    const isFull = width + 1 + part.length > USAGE_WIDTH
    usage += isFull ? `\n    ${part}` : ` ${part}`
    width = isFull ? 4 + part.length : width + 1 + part.length
  }
  return usage
}

export const helpOf = (command: Command): string => `berth ${usageOf(command)}

${command.help.trim()}

  npm run -s berth -- ${command.example}

${command.exitCodes ?? EXIT_CODES}
`

/** Refuses in a sentence. */
export const refuse = (terminal: Pick<Terminal, 'stderr'>, why: string): number => {
  terminal.stderr(`berth: ${why}\n`)
  return REFUSED
}

/** Milliseconds between lines that tell how far a command is, where nobody watches. */
const LINE_EVERY = 10_000

/**
 * Writes how far a long run has come and how fast, over and over on one line, where somebody is looking.
 *
 * @param isLogged whether it does where nobody looks too, in a line now and then
 */
export const makeProgress = (
  { isWatched, stderr, now }: Pick<Terminal, 'isWatched' | 'stderr' | 'now'>,
  { what = 'events', isLogged = false }: { readonly what?: string; readonly isLogged?: boolean } = {},
) => {
  let logged = now()
  let first: { readonly at: number; readonly done: number } | undefined
  return {
    /** @param of undefined where nobody knows */
    show: (done: number, of: number | undefined): void => {
      if (!isWatched && !isLogged) return
      first ??= { at: now(), done }
      const rate = Math.round((done - first.done) / Math.max((now() - first.at) / 1_000, 0.001))
      const text = `${done}${of === undefined ? '' : ` of ${of}`} ${what}, ${rate} a second`
      if (isWatched) stderr(`\r${text}\u001b[K`)
      else if (now() - logged >= LINE_EVERY) {
        logged = now()
        stderr(`${text}\n`)
      }
    },
    end: (): void => {
      if (isWatched) stderr('\r\u001b[K')
    },
  }
}
