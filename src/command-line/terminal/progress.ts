import type { Terminal } from './command.ts'

/** Milliseconds between lines where nobody watches. */
const LINE_EVERY = 10_000
/** Milliseconds between changes of the line that somebody watches. */
const DRAW_EVERY = 100

/** How much there is to do. */
export type Total = number | { readonly about: number } | undefined

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
const lineOf = (done: number, total: Total, first: Sample, now: number, what: string): string => {
  const of = typeof total === 'object' ? total.about : total
  const parts = [`${done}${of === undefined ? '' : ` of ${of === total ? '' : 'about '}${of}`} ${what}`]
  if (done > first.done) {
    const rate = (done - first.done) / Math.max((now - first.at) / 1_000, 0.001)
    parts.push(`${Math.round(rate)} a second`)
    if (of !== undefined && of > done) parts.push(secondsLeft((of - done) / rate))
  }
  return parts.join(', ')
}

/**
 * Shows how much of a long run is done, how fast it goes and how much time is left, on one line of a terminal.
 *
 * @param isLogged whether a line is written every 10 s where nobody watches
 */
export const makeProgress = (
  { isWatched, stderr, now }: Pick<Terminal, 'isWatched' | 'stderr' | 'now'>,
  { what = 'events', isLogged = false }: { readonly what?: string; readonly isLogged?: boolean } = {},
) => {
  let logged = now()
  let drawn = Number.NEGATIVE_INFINITY
  let first: Sample | undefined
  let last = 0
  return {
    /** A smaller number than before begins the next pass. */
    show: (done: number, total: Total): void => {
      const at = now()
      if (first === undefined || done < last) first = { at, done }
      last = done
      if (isWatched && (at - drawn >= DRAW_EVERY || done === total)) {
        drawn = at
        stderr(`\r${lineOf(done, total, first, at, what)}\u001b[K`)
      } else if (!isWatched && isLogged && at - logged >= LINE_EVERY) {
        logged = at
        stderr(`${lineOf(done, total, first, at, what)}\n`)
      }
    },
    /** Clears the line. */
    end: (): void => {
      if (drawn === Number.NEGATIVE_INFINITY) return
      drawn = Number.NEGATIVE_INFINITY
      stderr('\r\u001b[K')
    },
  }
}
