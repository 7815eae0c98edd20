/** The clock of the service, against which all times of the page are: that of a browser may be wrong. */

/** What it is ahead of the browser's, in milliseconds. */
let ahead = 0

/** Now, in Unix milliseconds. */
export const currentTime = (): number => Date.now() + ahead

/** Learns from the `Date` of an answer, which tells the second in which it was made. `sent` is by the browser's clock. */
export const learnTime = (date: string | null, sent: number): void => {
  const second = Date.parse(date ?? '')
  if (Number.isFinite(second)) ahead = Math.min(Math.max(ahead, second - Date.now()), second + 999 - sent)
}

/** Fetches, and learns the time from what is answered. */
export const fetchTimed: typeof fetch = async (...request) => {
  const sent = Date.now()
  const response = await fetch(...request)
  learnTime(response.headers.get('Date'), sent)
  return response
}
