import { makeNumbers } from '../../read-models/lists/many-reservations.ts'
import type { TableRow } from '../measure/table.ts'
import { authorization } from '../servers/berth.ts'
import { type Lab, startOver, untilReady } from './bookings.ts'
import { inRounds } from './rounds.ts'

/** Duration of lists, filters and availability over HTTP, in sequence, in milliseconds including the client. */

const REQUESTS = 25
/** Warm-up requests of each kind. */
const WARM_UP = 10
const DAY = 86_400
const RESERVATIONS = '/api/sut_reservation'

export const read = async (url: string, path: string): Promise<string> => {
  const answer = await fetch(url + path, { headers: { authorization } })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
  return text
}

const written = (seconds: number): string => encodeURIComponent(new Date(seconds * 1_000).toISOString())

/** Paths by description. Each call uses another random SUT, user or day. */
const pathsOf = ({ ids, some, listed, begins, people }: Lab): Readonly<Record<string, () => string>> => {
  const number = makeNumbers(1)
  const of = (all: readonly string[]): string => all[number(all.length)] as string
  const days = Math.floor((Date.now() / 1_000 - begins) / DAY)
  const [pipeline = '', ...others] = people.testers
  const middle = written(begins + (days * DAY) / 2)
  const aDay = (): string => {
    const from = begins + number(days) * DAY
    return `from=${written(from)}&to=${written(from + DAY)}`
  }
  return {
    'a reservation by its id': () => `${RESERVATIONS}/${of(some)}`,
    'the newest 100': () => RESERVATIONS,
    'the newest 1,000': () => `${RESERVATIONS}?limit=1000`,
    'all, to the last': () => `${RESERVATIONS}?offset=${listed - 1}`,
    '100 with an offset to the middle': () => `${RESERVATIONS}?offset=${Math.floor(listed / 2)}`,
    '100 after one by its id': () => `${RESERVATIONS}?before=${of(some)}`,
    '100 of a SUT': () => `${RESERVATIONS}?sut_id=${of(ids)}`,
    '100 of a user': () => `${RESERVATIONS}?user_id=${of(others)}`,
    '100 of the user who made half of all': () => `${RESERVATIONS}?user_id=${pipeline}`,
    '100 of a SUT and a user': () => `${RESERVATIONS}?sut_id=${of(ids)}&user_id=${of(others)}`,
    '100 of a day': () => `${RESERVATIONS}?${aDay()}`,
    '100 of a SUT on a day': () => `${RESERVATIONS}?sut_id=${of(ids)}&${aDay()}`,
    '100 of a user on a day': () => `${RESERVATIONS}?user_id=${of(others)}&${aDay()}`,
    '100 of the user who made half of all, for half of the time': () =>
      `${RESERVATIONS}?user_id=${pipeline}&to=${middle}`,
    '100 of a day without reservations': () =>
      `${RESERVATIONS}?user_id=${pipeline}&from=${written(begins + 4_000 * DAY)}`,
    '100 current ones': () => `${RESERVATIONS}?current=true`,
    '100 future ones': () => `${RESERVATIONS}?from=${written(Date.now() / 1_000)}`,
    'the newest 100 at a moment in the middle': () => `${RESERVATIONS}?as_of=${middle}`,
    '100 of a SUT at that moment': () => `${RESERVATIONS}?sut_id=${of(ids)}&as_of=${middle}`,
    '100 of a day at that moment': () => `${RESERVATIONS}?${aDay()}&as_of=${middle}`,
    '100 SUTs': () => '/api/sut',
    '100 SUTs by a part of their name': () => '/api/sut?name=E%201',
    'no SUT by a tag': () => '/api/sut?tag.none=none',
    'the history of a SUT': () => `/api/sut/${of(ids)}/history?limit=1000`,
    '1,000 events of an unknown user': () => `/api/events?limit=1000&user_id=${of(ids)}`,
    'the availability of a SUT': () => `/api/sut/${of(ids)}/availability`,
  }
}

const countOf = async (url: string, query = ''): Promise<number> =>
  (JSON.parse(await read(url, `${RESERVATIONS}?limit=1${query}`)) as { count: number }).count

/** Checks that the listed reservations, in total and by user, are those seeded and acknowledged. */
const checkCounts = async (url: string, { made, listed, people, bookings }: Lab): Promise<void> => {
  const all = await countOf(url)
  const users = [people.administrator, ...people.testers]
  const byUser = await Promise.all(users.map((id) => countOf(url, `&user_id=${id}`)))
  const sum = byUser.reduce((one, other) => one + other, 0)
  const { accepted, cutOff } = bookings.answered()
  const least = listed + accepted - made
  if (all < least || all > least + cutOff || sum !== all) {
    throw new Error(`expected ${least} reservations, but ${all} are listed, and ${sum} by user`)
  }
}

/** Duration of each request, and the longest concurrent health check, in milliseconds, by description. */
type Times = Readonly<Record<string, { readonly took: readonly number[]; readonly held: readonly number[] }>>

/** The longest duration of a health check until a promise settles. */
const longestBeside = async (url: string, over: Promise<unknown>): Promise<number> => {
  let isOver = false
  const ended = over.finally(() => {
    isOver = true
  })
  let longest = 0
  while (!isOver) {
    const began = performance.now()
    await (await fetch(`${url}/health/live`)).text()
    longest = Math.max(longest, performance.now() - began)
  }
  await ended
  return longest
}

const timesOf = async (url: string, lab: Lab): Promise<Times> => {
  const times: Record<string, { took: number[]; held: number[] }> = {}
  for (const [name, path] of Object.entries(pathsOf(lab))) {
    const [took, held]: [number[], number[]] = [[], []]
    times[name] = { took, held }
    for (let n = 0; n < WARM_UP; n++) await read(url, path())
    for (let n = 0; n < REQUESTS; n++) {
      const asked = path()
      const began = performance.now()
      await read(url, asked)
      took.push(performance.now() - began)
    }
    for (let n = 0; n < REQUESTS; n++) held.push(await longestBeside(url, read(url, path())))
  }
  return times
}

export const listRows = async (lab: Lab): Promise<readonly TableRow[]> => {
  const service = await startOver(lab.data)
  try {
    await untilReady(service)
    await checkCounts(service.url, lab)
    const { rounds, busy } = await inRounds(1, () => timesOf(service.url, lab))
    const common = { unit: 'ms', ...(busy !== undefined && { busy }) }
    const reservations = `${lab.listed.toLocaleString('en')} reservations`
    return Object.entries(rounds[0] ?? {}).flatMap(([what, { took, held }]) => [
      { what: `${reservations}: ${what}`, figures: took, ...common },
      { what: `${reservations}, concurrent requests: ${what}`, figures: held, must: { most: 20 }, ...common },
    ])
  } finally {
    await service.stop()
  }
}
