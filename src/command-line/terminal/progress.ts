import type { Config } from '../../app/config/config.ts'
import type { EventStore } from '../../event-store/event-store.ts'
import type { Terminal } from './command.ts'

/** Between log lines, without a terminal. */
const LINE_INTERVAL_MS = 10_000
/** Minimum time between updates of the line on a terminal. */
const DRAW_INTERVAL_MS = 100

const secondsLeft = (seconds: number): string => {
  const whole = Math.max(1, Math.round(seconds))
  if (whole < 60) return `${whole} s left`
  const minutes = Math.round(whole / 60)
  return minutes < 60 ? `${minutes} min left` : `${Math.floor(minutes / 60)} h ${minutes % 60} min left`
}

interface Sample {
  readonly at: number
  readonly done: number
}

/** The rate and the time left are averages since the first sample. */
const lineOf = (done: number, total: number | undefined, first: Sample, now: number, what: string): string => {
  const parts = [`${done}${total === undefined ? '' : ` of ${total}`} ${what}`]
  if (done > first.done) {
    const rate = (done - first.done) / Math.max((now - first.at) / 1_000, 0.001)
    parts.push(`${Math.round(rate)} a second`)
    if (total !== undefined && total > done) parts.push(secondsLeft((total - done) / rate))
  }
  return parts.join(', ')
}

/**
 * Shows the progress, rate and remaining time of a long run on one line of a terminal.
 *
 * @param isLogged whether to write a line every 10 s without a terminal
 */
export const makeProgress = (
  { isWatched, stderr, redraw, now }: Pick<Terminal, 'isWatched' | 'stderr' | 'redraw' | 'now'>,
  { what = 'events', isLogged = false }: { readonly what?: string; readonly isLogged?: boolean } = {},
) => {
  let logged = now()
  let drawn = Number.NEGATIVE_INFINITY
  let first: Sample | undefined
  let last = 0
  return {
    /** A smaller number than before starts the next pass. The total may be unknown. */
    show: (done: number, total: number | undefined): void => {
      const at = now()
      if (first === undefined || done < last) first = { at, done }
      last = done
      if (isWatched && (at - drawn >= DRAW_INTERVAL_MS || done === total)) {
        drawn = at
        redraw(lineOf(done, total, first, at, what))
      } else if (!isWatched && isLogged && at - logged >= LINE_INTERVAL_MS) {
        logged = at
        stderr(`${lineOf(done, total, first, at, what)}\n`)
      }
    },
    /** Clears the line. */
    end: (): void => {
      if (drawn === Number.NEGATIVE_INFINITY) return
      drawn = Number.NEGATIVE_INFINITY
      redraw('')
    },
  }
}

/** Shows how many events of a log have been read. An EventStoreDB does not know how many it has. */
export const makeLogProgress = async (store: EventStore, { eventStore }: Config, terminal: Terminal) => {
  const progress = makeProgress(terminal)
  const total = terminal.isWatched && eventStore.kind === 'sqlite' ? (await store.head()) + 1 : undefined
  return { show: (done: number): void => progress.show(done, total), end: progress.end }
}
