/**
 * What a lab is as its log tells, and who could be granted what. Written from the interface's words alone: it shares no
 * code with the source, and looks at everything each time.
 */

import { type Fields, holding, type Machine, machineAfter } from './lab-machine.ts'

/** An event of the log, in its order. */
export interface LoggedEvent {
  readonly type: string
  readonly data: object
  readonly metadata: { readonly actor: string; readonly time: string }
  /** Unless the test recorded it itself. */
  readonly appended?: Appended | undefined
}

export interface Appended {
  /** By the clock, in Unix milliseconds. The time of an event may be that of an offer made before. */
  readonly at: number
  /** How many events the views had of the instance that decided it. */
  readonly known: number
  /** Milliseconds since that instance started. */
  readonly reachableFor: number
}

/** Whether an event tells of a request, and nothing of the lab. */
export const isOfRequest = ({ type }: Pick<LoggedEvent, 'type'>): boolean =>
  type.startsWith('Request') || type === 'ReservationRequested'

interface Person {
  role: string
  scope: Readonly<Record<string, string>>
  quota: { readonly hours_per_week: number | null; readonly reservations_max: number | null } | null
  isRemoved: boolean
}

export interface Reservation {
  readonly id: string
  readonly sut: string
  readonly user: string
  /** Unix seconds. */
  readonly start: number
  end: number
  /** Unix milliseconds from which it holds its SUT. */
  readonly heldFrom: number
  quarters: number
  ended: 'released' | 'cancelled' | undefined
}

export interface Offer {
  readonly sut: string
  readonly reservation: string
  readonly start: number
}

export interface Request {
  readonly id: string
  readonly user: string
  readonly asker: string
  readonly match: Fields | undefined
  readonly sut: string | undefined
  /** Seconds. */
  readonly duration: number
  /** Unix milliseconds. */
  readonly expires: number
  readonly priority: number
  /** Its place among all requests. */
  readonly place: number
  /** Seconds, if it has to be kept alive. */
  readonly keepalive: number | undefined
  /** When it was made, and when somebody last asked for it, in Unix milliseconds. */
  readonly made: number
  heard: number
  status: 'waiting' | 'granted' | 'withdrawn' | 'expired'
  offer: Offer | undefined
}

const QUARTER = 900
const WEEK = 604_800

const secondsOf = (time: unknown): number => Date.parse(String(time)) / 1000
const upToQuarter = (seconds: number): number => Math.ceil(seconds / QUARTER) * QUARTER
/** Weeks begin on Mondays; the epoch was a Thursday. */
const weekOf = (seconds: number): number => Math.floor((seconds + 3 * 86_400) / WEEK)

const parseScope = (text: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    String(text ?? '')
      .split(',')
      .filter((part) => part !== '')
      .map((part) => part.split('=') as [string, string]),
  )

export class LabModel {
  readonly machines = new Map<string, Machine>()
  readonly people = new Map<string, Person>()
  readonly reservations = new Map<string, Reservation>()
  readonly requests: Map<string, Request>

  constructor(requests = new Map<string, Request>()) {
    this.requests = requests
  }

  /** Applies an event. */
  take(event: LoggedEvent): void {
    const { type, data, metadata } = event
    const { _id, ...rest } = data as Fields & { readonly _id: string }
    const time = Date.parse(metadata.time)
    switch (type) {
      case 'UserAdded':
        this.people.set(_id, { role: '', scope: {}, quota: null, isRemoved: false })
        this.#change(_id, rest)
        break
      case 'UserChanged':
        this.#change(_id, rest)
        break
      case 'UserRemoved':
        this.#person(_id).isRemoved = true
        break
      case 'UserRestored':
        this.#person(_id).isRemoved = false
        break
      default:
        if (isOfRequest(event)) this.#request(type, _id, rest, metadata.actor, time)
        else if (type.startsWith('Sut')) this.machines.set(_id, machineAfter(this.machines.get(_id), type, rest))
        else this.#reserve(type, _id, rest, time)
    }
  }

  #machine(id: string): Machine {
    const found = this.machines.get(id)
    if (found === undefined) throw new Error(`no machine ${id}`)
    return found
  }

  #person(id: string): Person {
    const found = this.people.get(id)
    if (found === undefined) throw new Error(`no user ${id}`)
    return found
  }

  #change(id: string, changed: Fields): void {
    const person = this.#person(id)
    if (changed.role !== undefined) person.role = String(changed.role)
    if (changed.scope !== undefined) person.scope = parseScope(changed.scope)
    if (changed.quota !== undefined) person.quota = changed.quota as Person['quota']
  }

  #reserve(type: string, id: string, data: Fields, time: number): void {
    if (type === 'ReservationCreated') {
      const [start, end] = [secondsOf(data.start_time), secondsOf(data.end_time)]
      this.reservations.set(id, {
        ...{ id, sut: String(data.sut_id), user: String(data.user_id), start, end, ended: undefined },
        heldFrom: Math.max(start * 1000, time),
        quarters: Number(data.counted ?? Math.ceil((end - start) / QUARTER)),
      })
      return
    }
    const reservation = this.reservations.get(id)
    if (reservation === undefined) return
    if (type === 'ReservationCancelled') reservation.ended = 'cancelled'
    if (type !== 'ReservationReleased') return
    reservation.end = secondsOf(data.end_time)
    reservation.ended = 'released'
    const used = Math.ceil((reservation.end * 1000 - reservation.heldFrom) / (QUARTER * 1000))
    reservation.quarters = Math.min(reservation.quarters, Math.max(used, 1))
  }

  #request(type: string, id: string, data: Fields, actor: string, time: number): void {
    if (type === 'ReservationRequested') {
      this.requests.set(id, {
        ...{ id, user: String(data.user_id), asker: actor, match: data.match as Fields | undefined },
        ...{ sut: data.sut_id as string | undefined, duration: Number(data.duration) },
        ...{ expires: Date.parse(String(data.expires_at)), priority: Number(data.priority) },
        ...{ place: this.requests.size, status: 'waiting', offer: undefined },
        ...{ keepalive: data.keepalive as number | undefined, made: time, heard: time },
      })
    }
    const request = this.requests.get(id)
    if (request === undefined) return
    if (type === 'RequestKept') {
      request.heard = time
      return
    }
    request.offer = undefined
    if (type === 'RequestOffered') {
      const start = secondsOf(data.start_time)
      request.offer = { sut: String(data.sut_id), reservation: String(data.sut_reservation_id), start }
    } else if (type === 'RequestGranted') request.status = 'granted'
    else if (type === 'RequestWithdrawn') request.status = 'withdrawn'
    else if (type === 'RequestExpired') request.status = 'expired'
  }

  /** Whether a machine takes reservations, and is what a request asks for. */
  fits(request: Request, sut: string): boolean {
    const machine = this.#machine(sut)
    if (machine.isRetired || machine.fields.is_active !== true) return false
    if (request.match === undefined) return request.sut === sut
    const not = (request.match.not ?? {}) as Fields
    return !holding(request.match, machine).includes(false) && !holding(not, machine).includes(true)
  }

  #isInScope(user: string, sut: string): boolean {
    const scope = this.people.get(user)?.scope ?? {}
    return Object.entries(scope).every(([name, value]) => this.#machine(sut).tags[name] === value)
  }

  /** When a window from now on would begin; undefined if anything is in its way. */
  windowStart(sut: string, now: number, duration: number): number | undefined {
    const { fields } = this.#machine(sut)
    const turnaround = upToQuarter(Number(fields.turnaround ?? 0))
    const quarter = Math.floor(now / 1000 / QUARTER) * QUARTER
    const end = upToQuarter(now / 1000 + duration)
    let start = quarter
    for (const held of this.reservations.values()) {
      if (held.sut !== sut || held.ended === 'cancelled') continue
      const isOver = held.ended === 'released' && held.end < quarter + QUARTER
      const freeAgain = turnaround === 0 && isOver ? Math.min(held.end, quarter) : upToQuarter(held.end) + turnaround
      const isBehind = turnaround === 0 && !isOver ? held.end <= quarter : freeAgain <= quarter
      if (isBehind) start = Math.max(start, held.end)
      else if (held.start < end + turnaround) return undefined
    }
    return start
  }

  /** Whether the quota of a user allows one more reservation beside what its other requests are being offered. */
  #isWithinQuota({ user, duration }: Request, now: number, start: number): boolean {
    const { role, quota } = this.#person(user)
    if (role !== 'tester' || quota === null) return true
    const { hours_per_week, reservations_max } = quota
    const own = [...this.reservations.values()].filter((each) => each.user === user && each.ended !== 'cancelled')
    const open = [...this.requests.values()].filter(
      (each) => each.user === user && each.offer !== undefined && !this.reservations.has(each.offer.reservation),
    )
    const running = own.filter(({ end, ended }) => ended === undefined && end > now / 1000)
    if (reservations_max !== null && running.length + open.length + 1 > reservations_max) return false
    if (hours_per_week === null) return true
    const counted = [
      ...own.map((each) => ({ start: each.start, quarters: each.quarters })),
      ...open.map(({ offer, duration }) => ({ start: offer?.start ?? 0, quarters: Math.ceil(duration / QUARTER) })),
      { start, quarters: Math.ceil(duration / QUARTER) },
    ].filter((each) => weekOf(each.start) === weekOf(start))
    return counted.reduce((sum, { quarters }) => sum + quarters, 0) / 4 <= hours_per_week
  }

  /** Whether a user may hold a machine at all. */
  mayHold(user: string): boolean {
    const person = this.people.get(user)
    return person !== undefined && !person.isRemoved && person.role !== 'auditor'
  }

  /**
   * Whether nobody has asked for a request for so many times its `keepalive`, although somebody could have all the time.
   *
   * @param reachableFor milliseconds for which there was an instance to ask
   */
  isSilent({ keepalive, made, heard }: Request, now: number, reachableFor: number, times = 1): boolean {
    if (keepalive === undefined) return false
    const isOld = heard - made >= 7_200_000
    const milliseconds = times * 1000 * (isOld && keepalive < 60 ? 60 : keepalive)
    return now - heard >= milliseconds && reachableFor >= milliseconds
  }

  /** Whether a request that waits could be granted a machine now. @param now Unix milliseconds */
  couldHave(request: Request, sut: string, now: number, reachableFor = Number.POSITIVE_INFINITY): boolean {
    if (!this.mayHold(request.user) || this.isSilent(request, now, reachableFor)) return false
    if (request.status !== 'waiting' || request.offer !== undefined || request.expires <= now) return false
    if (this.#machine(sut).isOffline || !this.fits(request, sut)) return false
    if (!this.#isInScope(request.user, sut)) return false
    if (request.asker !== request.user && !this.#isInScope(request.asker, sut)) return false
    const start = this.windowStart(sut, now, request.duration)
    return start !== undefined && this.#isWithinQuota(request, now, start)
  }

  waiting(): readonly Request[] {
    return [...this.requests.values()].filter(({ status }) => status === 'waiting')
  }
}
