/** What has to be kept alive: a reservation, or a request that waits. */
export interface Kept {
  /** Seconds for which a sign of life counts. */
  readonly keepalive: number
  /** When the first of them began, in Unix milliseconds. */
  readonly began: number
  /** When it was last kept alive, in Unix milliseconds; 0 if it was not. */
  readonly kept: number
}

/** What lives longer than this counts as made with MINUTE_S at least: seven days of signs each 15 s fill a log. */
const LONG_MS = 2 * 3_600_000
const MINUTE_S = 60

/** Milliseconds for which the last sign of life counts. */
export const aliveFor = ({ keepalive, began, kept }: Kept): number =>
  1000 * (kept - began >= LONG_MS ? Math.max(keepalive, MINUTE_S) : keepalive)

/** Until when it is alive, in Unix milliseconds. It follows from the log alone. */
export const aliveUntil = (life: Kept): number => Math.max(life.began, life.kept) + aliveFor(life)

/** From when on another sign of life is recorded: less than half of the time is left. Unix milliseconds. */
export const keptAgainFrom = (life: Kept): number => aliveUntil(life) - aliveFor(life) / 2 + 1

/** From when on nobody has given a sign of life for twice as long. Unix milliseconds. */
export const lostFrom = (life: Kept): number => aliveUntil(life) + aliveFor(life)
