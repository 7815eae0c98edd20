/** What an operator is told when it needs somebody, and when it does no more. */
const PARTS = ['store', 'views', 'users', 'vault', 'secrets', 'certificate', 'clock'] as const
export type Part = (typeof PARTS)[number]

/** As pino logs: facts first, then a sentence. */
type Tell = (facts: object, sentence: string) => void

export interface Alarms {
  /** Told in the log at once; stands until it is cleared. */
  readonly raise: (part: Part, sentence: string, error?: unknown) => void
  readonly clear: (part: Part, sentence: string) => void
  readonly isRaised: (part: Part) => boolean
  readonly all: () => Readonly<Record<Part, boolean>>
}

export const makeAlarms = (log: Record<'info' | 'error', Tell>): Alarms => {
  const raised = new Set<Part>()
  return {
    raise: (part, sentence, error) => {
      raised.add(part)
      log.error({ alarm: part, ...(error !== undefined && { err: error }) }, sentence)
    },
    clear: (part, sentence) => {
      if (raised.delete(part)) log.info({ alarm: part }, sentence)
    },
    isRaised: (part) => raised.has(part),
    all: () => Object.fromEntries(PARTS.map((part) => [part, raised.has(part)])) as Record<Part, boolean>,
  }
}
