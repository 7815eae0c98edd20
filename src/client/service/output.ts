/** What the client says, and how it ends. */

/** Exit codes of the client, from sysexits.h where it has one. */
export const EXIT = { usage: 64, unreachable: 69, noMachine: 75, notInForce: 76, refused: 77 } as const

export class ClientFailure extends Error {
  readonly exitCode: number
  /** Whether a change may have been made all the same: its answer may have been lost. */
  readonly mayHaveActed: boolean
  constructor(exitCode: number, message: string, mayHaveActed = false) {
    super(message)
    this.exitCode = exitCode
    this.mayHaveActed = mayHaveActed
  }
}

export const misused = (why: string): ClientFailure => new ClientFailure(EXIT.usage, why)
export const refused = (why: string): ClientFailure => new ClientFailure(EXIT.refused, why)
export const unreachable = (why: string): ClientFailure => new ClientFailure(EXIT.unreachable, why)

/** Where the client writes whole lines. */
export interface Output {
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
  /** Descriptors from 3 on that COMMAND gets beside the standard ones. */
  readonly descriptors?: readonly number[]
}

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** A line in which nothing that a service or a machine says moves the cursor or is invisible. */
export const visibleLine = (text: string): string =>
  text.replace(/[^\P{C}\t]|[\p{Zl}\p{Zp}]/gu, (found) => found.split('').map(escapeUnit).join(''))

/** Maximum characters of a line: it may repeat what an answer says. */
const LINE_MAX = 2_000

/** A line to standard error that tells the client's own from those of the command that it runs. */
export const say = ({ stderr }: Output, line: string): void =>
  stderr(`berth: ${visibleLine(line.length > LINE_MAX ? `${line.slice(0, LINE_MAX)}…` : line)}\n`)

/** Says a line, unless what it is about is the same as last time. */
export const makeSayNews = (output: Output) => {
  let last: string | undefined
  return (about: string | undefined, line = about): void => {
    if (line !== undefined && about !== last) say(output, line)
    last = about
  }
}
