import type { Answer, Client } from '../http/client.ts'
import type { Running } from '../http/harness.ts'
import { aReservation, aSut } from '../http/requests.ts'
import { allEventsOf, type Event } from '../http/store/log-rows.ts'
import type { makeRandom } from '../process/random.ts'

/**
 * Random histories of SUTs and reservations, written by instances with different clocks, and the answers after each
 * event. `as_of` must return the same answers, byte for byte.
 */

export interface Cast {
  /** Over one store. */
  readonly services: readonly Running[]
  /** Every event of their log, as stored. */
  readonly log: () => Promise<readonly Event[]>
  readonly random: ReturnType<typeof makeRandom>
}

/** A cast of one service, on whichever store the tests use. */
export const castOf = (service: Running, random: Cast['random']): Cast => ({
  services: [service],
  log: () => allEventsOf(service),
  random,
})

interface Thing {
  readonly path: string
  readonly id: string
}

/** The answers after an event, by path: each object and the lists. */
type Shown = ReadonlyMap<string, string>

const MINUTE = 60_000
const SKEW_MAX = 25_000

const shownOf = ({ status, headers, json, text }: Answer): string =>
  status === 200 ? `${status} ${headers.etag} ${text}` : `${status} ${json.code}`

const NOT_FOUND = { sut: '404 sut_not_found', sut_reservation: '404 reservation_not_found' }

const missing = (path: string): string => (path.includes('/sut/') ? NOT_FOUND.sut : NOT_FOUND.sut_reservation)

const iso = (time: number): string => new Date(time).toISOString()

const makeStory = (cast: Cast, name: string) => {
  const { services, random } = cast
  const suts: Thing[] = []
  const reservations: Thing[] = []
  const one = <A>(from: readonly A[]): A => from[random.below(from.length)] as A

  const write = async (admin: Client): Promise<Answer> => {
    const thing = one(reservations)
    const sut = one(suts)
    const dice = random.below(20)
    if (sut === undefined || dice === 0) return admin.post('/api/sut/create', aSut({ name: `${name} ${suts.length}` }))
    if (dice <= 2) return admin.post(`${sut.path}/update`, { os: `os ${random.below(1_000_000)}` })
    if (dice === 3) return admin.post(`${sut.path}/tags`, { a: one(['1', '2', null]) })
    if (dice === 4) return admin.request('POST', `${sut.path}/retire`)
    if (dice <= 12 || thing === undefined) {
      const { user_id, sut_id } = aReservation(sut.id)
      const window = { start_in: one([0, 0, 900 * random.below(12)]), duration: 900 * (1 + random.below(4)) }
      return admin.post('/api/sut_reservation/create', { user_id, sut_id, ...window })
    }
    if (dice <= 16) return admin.request('POST', `${thing.path}/cancel`)
    return admin.post(`${thing.path}/extend`, { duration: 900 * (1 + random.below(8)) })
  }

  /** Paths of lists of what was held at a moment. Each is asked once. */
  const held: string[] = []

  const lists = (): readonly string[] => [
    `/api/sut?limit=1000&name=${encodeURIComponent(`${name} `)}`,
    ...suts.map(({ id }) => `/api/sut_reservation?limit=1000&sut_id=${id}`),
  ]

  const heldAt = (time: number): string => {
    held.push(`/api/sut_reservation?limit=1000&held_at=${iso(time)}`)
    return held.at(-1) as string
  }

  const note = ({ status, headers, json }: Answer): void => {
    if (status !== 201) return
    const path = String(headers.location)
    const things = path.startsWith('/api/sut/') ? suts : reservations
    things.push({ path, id: String(json._id) })
  }

  return {
    services,
    one,
    write,
    note,
    lists,
    heldAt,
    allLists: () => [...lists(), ...held],
    things: () => [...suts, ...reservations],
  }
}
type Story = ReturnType<typeof makeStory>

/** The answers after each event, by position. */
type Snapshots = ReadonlyMap<number, Shown>

const play = async (story: Story, { random }: Cast, steps: number): Promise<Snapshots> => {
  const { services, one, write, note, lists, heldAt, things } = story
  const snapshots = new Map<number, Shown>()
  let time = Math.max(...services.map(({ clock }) => clock.now()))
  for (let step = 0; step < steps; step++) {
    time += random.below(2) * random.below(40 * MINUTE)
    const service = one(services)
    service.clock.set(iso(time + random.below(2 * SKEW_MAX) - SKEW_MAX))
    const admin = service.as('admin')
    const answer = await write(admin)
    // It may have been recorded all the same, so nobody could tell what holds from then on.
    if (answer.status >= 500) throw new Error(answer.text)
    if (answer.status >= 400) continue
    note(answer)
    const shown = new Map<string, string>()
    for (const path of [...things().map((thing) => thing.path), ...lists(), heldAt(service.clock.now())]) {
      shown.set(path, shownOf(await admin.get(path, { 'Berth-After': String(answer.headers['berth-position']) })))
    }
    const position = Number(answer.headers['berth-position'])
    if (!snapshots.has(position)) snapshots.set(position, shown)
  }
  for (const { clock } of services) clock.set(iso(time + 120 * MINUTE))
  return snapshots
}

export interface StoryReport {
  readonly events: number
  readonly answers: number
  readonly faults: readonly string[]
}

const OF_PORTS = /^(ListenPort|LogVersionSet|ScheduleBegan)/

/** Compares every object and list as of every event with the answer given then. */
const checkPositions = async (
  story: Story,
  log: readonly Event[],
  first: number,
  snapshots: Snapshots,
  report: Report,
) => {
  let before: Shown = new Map()
  for (let position = first; position < log.length; position++) {
    const shown: Shown = snapshots.get(position) ?? before
    const type = log[position]?.type ?? ''
    if (shown === before && !OF_PORTS.test(type)) report(`nothing was answered at ${position}, ${type}`)
    before = shown
    const as_of = String(position).padStart(20, '0')
    for (const { path } of story.things()) {
      await report.same(`${path}?as_of=${as_of}`, shown.get(path) ?? missing(path))
    }
    for (const path of story.allLists()) {
      const then = shown.get(path)
      if (then !== undefined) await report.same(`${path}&as_of=${as_of}`, then)
    }
  }
}

/**
 * The same as of the times of events: objects must be as of the last event recorded by then. While a clock is set back, or
 * the clocks of instances differ, there are several such.
 */
const checkTimes = async (story: Story, log: readonly Event[], first: number, snapshots: Snapshots, report: Report) => {
  const events = log.slice(first).map((event, n) => ({ ...event, position: first + n }))
  for (const { metadata } of events) {
    const time = Date.parse(metadata.time) + story.one([0, -1])
    const last = log.findLastIndex((event) => Date.parse(event.metadata.time) <= time)
    if (log.slice(0, last).some((event) => Date.parse(event.metadata.time) > time)) continue
    for (const { path, id } of story.things()) {
      const newest = events.findLast((event) => event.data._id === id && event.position <= last)
      const then = newest && snapshots.get(newest.position)?.get(path)
      await report.same(`${path}?as_of=${iso(time)}`, then ?? missing(path))
    }
  }
}

interface Report {
  (fault: string): void
  readonly same: (path: string, expected: string) => Promise<void>
}

/** Plays a story with the given number of steps and reads back as of every event. */
export const playBack = async (cast: Cast, name: string, steps: number): Promise<StoryReport> => {
  const story = makeStory(cast, name)
  const first = (await cast.log()).length
  const snapshots = await play(story, cast, steps)
  const log = await cast.log()
  const faults: string[] = []
  let answers = 0
  const after = { 'Berth-After': String(log.length - 1).padStart(20, '0') }
  const report: Report = Object.assign((fault: string): void => void faults.push(`${name}: ${fault}`), {
    same: async (path: string, expected: string): Promise<void> => {
      answers++
      const shown = shownOf(await story.one(cast.services).as('audrey').get(path, after))
      if (shown !== expected) faults.push(`${name}: ${path}: ${shown} is not ${expected}`)
    },
  })
  await checkPositions(story, log, first, snapshots, report)
  await checkTimes(story, log, first, snapshots, report)
  return { events: log.length - first, answers, faults }
}
