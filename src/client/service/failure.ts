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

export const misused = (why: string): ClientFailure => new ClientFailure(EXIT.usage, why)
export const refused = (why: string): ClientFailure => new ClientFailure(EXIT.refused, why)
