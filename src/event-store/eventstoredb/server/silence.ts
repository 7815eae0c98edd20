import { StoreUnavailable } from '../../event-store.ts'

/** In milliseconds. */
export interface SilenceLimits {
  /** How long commands or reads wait without any answer before the store counts as silent. */
  readonly silentAfter: number
  readonly lookEvery: number
  /** Between probes of a silent store. */
  readonly probeEvery: number
}

const LIMITS: SilenceLimits = { silentAfter: 5_000, lookEvery: 250, probeEvery: 1_000 }

export interface SilenceOptions {
  /** Probes the write path without changing anything. */
  readonly probe: () => Promise<boolean>
  /** Called once when the store becomes silent, and once when it answers again. */
  readonly onSilence: (isSilent: boolean) => void
  readonly limits?: SilenceLimits
}

type Kind = 'append' | 'read'

/** Detects a store that stops answering commands. */
export interface Silence {
  /** Counts a call as waiting until it ends. An answered append ends a silence. */
  readonly watch: <A>(kind: Kind, call: Promise<A>, isAnswer: (result: A) => boolean) => Promise<A>
  readonly stop: () => void
}

/** Calls of one kind that wait for an answer. */
const makeWaiting = () => {
  let count = 0
  /** Time of the last answer, or of the first call that is still waiting. */
  let since = 0
  return {
    begin: (): void => {
      if (count++ === 0) since = performance.now()
    },
    answered: (): void => {
      since = performance.now()
    },
    end: (): void => {
      count--
    },
    isAny: () => count > 0,
    isLonger: (milliseconds: number) => count > 0 && performance.now() - since >= milliseconds,
  }
}

/**
 * A frozen node, or one without quorum, keeps its connections open, and reads from memory still work. Only unanswered
 * calls reveal it. Appends are watched apart from reads: a leader that has lost its quorum still answers these.
 */
export const makeSilence = ({ probe, onSilence, limits = LIMITS }: SilenceOptions): Silence => {
  const waiting: Readonly<Record<Kind, ReturnType<typeof makeWaiting>>> = { append: makeWaiting(), read: makeWaiting() }
  const kinds = Object.values(waiting)
  let isSilent = false
  let probedAt = Number.NEGATIVE_INFINITY
  let isProbing = false
  let timer: NodeJS.Timeout | undefined

  const stop = (): void => {
    clearInterval(timer)
    timer = undefined
  }

  const answered = (kind: Kind): void => {
    waiting[kind].answered()
    if (kind === 'read' || !isSilent) return
    for (const each of kinds) each.answered()
    isSilent = false
    onSilence(false)
  }

  const probeAgain = async (): Promise<void> => {
    if (isProbing || performance.now() - probedAt < limits.probeEvery) return
    isProbing = true
    if (await probe()) answered('append')
    isProbing = false
    probedAt = performance.now()
  }

  const look = (): void => {
    if (isSilent) void probeAgain()
    else if (!kinds.some((each) => each.isAny())) stop()
    else if (kinds.some((each) => each.isLonger(limits.silentAfter))) {
      isSilent = true
      onSilence(true)
    }
  }

  return {
    watch: async (kind, call, isAnswer) => {
      waiting[kind].begin()
      timer ??= setInterval(look, limits.lookEvery).unref()
      try {
        const result = await call
        if (isAnswer(result)) answered(kind)
        return result
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) answered(kind)
        throw error
      } finally {
        waiting[kind].end()
      }
    },
    stop,
  }
}
