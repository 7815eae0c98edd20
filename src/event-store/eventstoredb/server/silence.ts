import { StoreUnavailable } from '../../event-store.ts'

/** Milliseconds without any response, while commands wait, after which the store counts as silent. */
const SILENT_AFTER = 5_000
/** Milliseconds between checks, and between probes of a silent store. */
const POLL_EVERY = 1_000

export interface SilenceOptions {
  /** Probes the write path without changing anything. */
  readonly probe: () => Promise<boolean>
  /** Called once when the store becomes silent, and once when it answers again. */
  readonly onSilence: (isSilent: boolean) => void
}

/** Detects a store that stops answering commands. */
export interface Silence {
  /** Counts a call as waiting until it ends. An answered call ends a silence. */
  readonly watch: <A>(call: Promise<A>, isAnswer: (result: A) => boolean) => Promise<A>
  readonly stop: () => void
}

/**
 * A frozen node, or one without quorum, keeps its connections open, and reads from memory still work. Only unanswered
 * calls reveal it.
 */
export const makeSilence = ({ probe, onSilence }: SilenceOptions): Silence => {
  let waiting = 0
  /** Time of the last response, or of the first call that is still waiting. */
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
        timer ??= setInterval(() => void look(), POLL_EVERY).unref()
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
