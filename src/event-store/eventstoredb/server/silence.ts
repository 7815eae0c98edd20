import { StoreUnavailable } from '../../event-store.ts'

/** Milliseconds without any answer, while commands wait for one, after which the store counts as silent. */
const SILENT_AFTER = 5_000
/** Milliseconds between looks at it, and between probes of a silent store. */
const LOOK_EVERY = 1_000

export interface SilenceOptions {
  /** Asks for an answer to an append, which changes nothing. */
  readonly probe: () => Promise<boolean>
  /** Called once when the store has become silent, and once when it answers again. */
  readonly onSilence: (isSilent: boolean) => void
}

/** Finds out when what commands ask of the store goes unanswered. */
export interface Silence {
  /** Counts a call as waiting until it has ended; a call that was answered ends a silence. */
  readonly watch: <A>(call: Promise<A>, isAnswer: (result: A) => boolean) => Promise<A>
  readonly stop: () => void
}

/**
 * A node that is frozen, or has lost its quorum, keeps its connections, and readers of what is in memory notice nothing:
 * only what has been asked of it and not been answered tells.
 */
export const makeSilence = ({ probe, onSilence }: SilenceOptions): Silence => {
  let waiting = 0
  /** When the last answer came, or the first of those that wait began to. */
  let since = 0
  let isSilent = false
  let timer: NodeJS.Timeout | undefined

  const stop = (): void => {
    clearInterval(timer)
    timer = undefined
  }

  const answered = (): void => {
    since = performance.now()
    if (isSilent) onSilence(false)
    isSilent = false
    if (waiting === 0) stop()
  }

  const look = async (): Promise<void> => {
    if (isSilent) {
      if (await probe()) answered()
    } else if (waiting === 0) stop()
    else if (performance.now() - since >= SILENT_AFTER) {
      isSilent = true
      onSilence(true)
    }
  }

  return {
    watch: async (call, isAnswer) => {
      if (waiting++ === 0) {
        since = performance.now()
        timer ??= setInterval(() => void look(), LOOK_EVERY).unref()
      }
      try {
        const result = await call
        if (isAnswer(result)) answered()
        return result
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) answered()
        throw error
      } finally {
        waiting--
      }
    },
    stop,
  }
}
