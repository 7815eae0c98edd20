/** What an operator is told when it needs somebody, and when it does no more. */
const PARTS = ['store', 'views', 'users', 'vault', 'secrets', 'certificate', 'clock'] as const
export type Part = (typeof PARTS)[number]

/** What is wrong with a part: `silence` is of the store, which may be unreadable too. */
export type Cause = Part | 'silence'

const partOf = (cause: Cause): Part => (cause === 'silence' ? 'store' : cause)

/** As pino logs: facts first, then a sentence. */
type LogFunction = (facts: object, sentence: string) => void

export interface Alarms {
  /** Told in the log at once; stands until it is cleared. */
  readonly raise: (cause: Cause, sentence: string, error?: unknown) => void
  readonly clear: (cause: Cause, sentence: string) => void
  readonly isRaised: (cause: Cause) => boolean
  readonly all: () => Readonly<Record<Part, boolean>>
}

export const makeAlarms = (log: Record<'info' | 'error', LogFunction>): Alarms => {
  const raised = new Set<Cause>()
  return {
    raise: (cause, sentence, error) => {
      raised.add(cause)
      log.error({ alarm: partOf(cause), ...(error !== undefined && { err: error }) }, sentence)
    },
    clear: (cause, sentence) => {
      if (raised.delete(cause)) log.info({ alarm: partOf(cause) }, sentence)
    },
    isRaised: (cause) => raised.has(cause),
    all: () => {
      const parts = new Set([...raised].map(partOf))
      return Object.fromEntries(PARTS.map((part) => [part, parts.has(part)])) as Record<Part, boolean>
    },
  }
}
