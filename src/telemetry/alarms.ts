/** Parts of the service that can need an operator. */
const PARTS = ['store', 'views', 'users', 'vault', 'certificate', 'clock', 'gateway', 'webhooks'] as const
export type AlarmPart = (typeof PARTS)[number]

/**
 * What raised an alarm. `silence` is an unresponsive store, which can also be unreadable; `full` a store without room
 * for a write; `jump` a clock that changed suddenly, which need not be ahead; `sessions` the gateway's sessions that
 * cannot be recorded.
 */
export type AlarmCause = AlarmPart | 'silence' | 'full' | 'jump' | 'sessions'

const PART_OF: Readonly<Partial<Record<AlarmCause, AlarmPart>>> = {
  silence: 'store',
  full: 'store',
  jump: 'clock',
  sessions: 'gateway',
}

const partOf = (cause: AlarmCause): AlarmPart => PART_OF[cause] ?? (cause as AlarmPart)

/** As pino logs: fields first, then the message. */
type LogFunction = (facts: object, sentence: string) => void

export type Alarms = ReturnType<typeof makeAlarms>

export const makeAlarms = (log: Record<'info' | 'error', LogFunction>) => {
  const raised = new Set<AlarmCause>()
  return {
    /** Logs the alarm at once; it stays raised until cleared. */
    raise: (cause: AlarmCause, sentence: string, error?: unknown): void => {
      raised.add(cause)
      log.error({ alarm: partOf(cause), ...(error !== undefined && { err: error }) }, sentence)
    },
    clear: (cause: AlarmCause, sentence: string): void => {
      if (raised.delete(cause)) log.info({ alarm: partOf(cause) }, sentence)
    },
    isRaised: (cause: AlarmCause): boolean => raised.has(cause),
    all: (): Readonly<Record<AlarmPart, boolean>> => {
      const parts = new Set([...raised].map(partOf))
      return Object.fromEntries(PARTS.map((part) => [part, parts.has(part)])) as Record<AlarmPart, boolean>
    },
  }
}
