/** An error that can be expected. Its sentences explain it to people, so that no stack is shown. */
export abstract class ExpectedError extends Error {
  /** How a process ends that ends with it: 1 when something failed or was refused, 2 when the user made a mistake. */
  readonly exitCode: 1 | 2 = 1
  readonly sentences: readonly string[]
  constructor(sentences: string | readonly string[], options?: ErrorOptions) {
    const all = typeof sentences === 'string' ? [sentences] : sentences
    super(all.join('; '), options)
    this.name = new.target.name
    this.sentences = all
  }
}

/** Whether the system or SQLite reports a failure. These messages need no stack either. */
const isOfSystem = ({ code = '' }: NodeJS.ErrnoException): boolean =>
  /^E[A-Z0-9]+$/.test(code) || code === 'ERR_SQLITE_ERROR'

/** How a process ends with an error, and what it says. Undefined for a fault of the program. */
export const explainEnd = (error: unknown): Pick<ExpectedError, 'exitCode' | 'sentences'> | undefined => {
  if (error instanceof ExpectedError) return error
  return isOfSystem(error as Error) ? { exitCode: 1, sentences: [(error as Error).message] } : undefined
}
