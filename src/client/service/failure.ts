/** Exit codes of the client, from sysexits.h where it has one. */
export const EXIT = { usage: 64, unreachable: 69, noMachine: 75, notInForce: 76, refused: 77 } as const

/** Why the client ends, with its exit code. */
export class ClientFailure extends Error {
  readonly exitCode: number
  constructor(exitCode: number, message: string) {
    super(message)
    this.exitCode = exitCode
  }
}

/** A request was not answered. */
export class Unanswered extends ClientFailure {
  /** Whether it may have done what it asked for: its answer may have been lost. */
  readonly mayHaveActed: boolean
  constructor(message: string, mayHaveActed: boolean) {
    super(EXIT.unreachable, message)
    this.mayHaveActed = mayHaveActed
  }
}

export const misused = (why: string): ClientFailure => new ClientFailure(EXIT.usage, why)
export const refused = (why: string): ClientFailure => new ClientFailure(EXIT.refused, why)
