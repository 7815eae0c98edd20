/** Arithmetic of days in the browser's zone. Instants are Unix milliseconds. */

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const QUARTER = 15 * MINUTE

/** Midnight of a day, or of one some days later. Days with a change of the clock are not 24 h long. */
export const midnightOf = (time: number, daysLater = 0): number => {
  const date = new Date(time)
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + daysLater).getTime()
}

export const firstOfMonth = (time: number, monthsLater = 0): number => {
  const date = new Date(time)
  return new Date(date.getFullYear(), date.getMonth() + monthsLater, 1).getTime()
}

/** A time as the interface takes it, in UTC. */
export const toIso = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z')
