/** Times as `datetime-local` fields have them, in the browser's zone. Pure. */

const two = (value: number): string => String(value).padStart(2, '0')

/** `2026-11-24T18:00:00`. */
export const toLocal = (time: number): string => {
  const date = new Date(time)
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

/** Unix milliseconds; undefined where nothing, or half a time, is typed. */
export const fromLocal = (text: string): number | undefined => {
  const time = Date.parse(text)
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) && !Number.isNaN(time) ? time : undefined
}
