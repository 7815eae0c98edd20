import { isOfRequest, LabModel, type LoggedEvent, type Request } from './lab-model.ts'
import { OTHERS_MS } from './queue-lab.ts'

/** Holds a log against the rule of fairness, and what else must be so of requests. */

const goesBefore = (a: Request, b: Request): boolean =>
  a.priority > b.priority || (a.priority === b.priority && a.place < b.place)

/** An offer, and who should have had the machine in its place. */
interface Judged {
  readonly passedOver: readonly string[]
  readonly couldHave: boolean
}

export interface Verdict {
  readonly problems: readonly string[]
  readonly model: LabModel
  readonly counts: {
    readonly granted: number
    readonly closed: number
    readonly withdrawn: number
    readonly expired: number
  }
}

const overlapping = (model: LabModel): readonly string[] => {
  const problems: string[] = []
  const held = [...model.reservations.values()].filter(({ ended }) => ended !== 'cancelled')
  for (const [n, one] of held.entries())
    for (const other of held.slice(n + 1))
      if (one.sut === other.sut && one.start < other.end && other.start < one.end)
        problems.push(`${one.id} and ${other.id} hold ${one.sut} at the same time`)
  return problems
}

type Fields = Readonly<Record<string, unknown>>

/** How long an offer is taken up after it was made. */
const TAKEN_UP_MS = 60_000

/** The lab as the instance knew it that recorded an event. Requests are decided in their stream, so these it knew. */
const knownAt = ({ appended }: LoggedEvent, log: readonly LoggedEvent[], model: LabModel): LabModel => {
  if (appended?.known === undefined) return model
  const known = new LabModel(model.requests)
  for (const event of log.slice(0, appended.known)) if (!isOfRequest(event)) known.take(event)
  return known
}

/** Judges one more event, before the model takes it. */
const makeJudge = (model: LabModel, log: readonly LoggedEvent[], report: (problem: string) => void) => {
  const offers = new Map<string, Judged & { readonly time: number }>()

  const offered = (request: Request, event: LoggedEvent, data: Fields, now: number): void => {
    const [sut, reservation] = [String(data.sut_id), String(data.sut_reservation_id)]
    const known = knownAt(event, log, model)
    if (request.offer !== undefined) report(`${request.id} has two offers`)
    if (request.expires <= now) report(`${request.id} is offered ${sut} although it has expired`)
    const passedOver = known
      .waiting()
      .filter((other) => goesBefore(other, request) && known.couldHave(other, sut, now))
      .map(({ id }) => id)
    offers.set(reservation, { passedOver, couldHave: known.couldHave(request, sut, now), time: now })
  }

  const reserved = ({ appended }: LoggedEvent, id: string, { sut_id, sut_request_id }: Fields): void => {
    const [offer, request] = [offers.get(id), model.requests.get(String(sut_request_id))]
    if (offer === undefined || request === undefined) report(`${id} was not offered`)
    else if (!model.fits(request, String(sut_id))) report(`${request.id} is granted ${sut_id}, which does not fit`)
    else if (Math.abs((appended?.at ?? 0) - offer.time) > TAKEN_UP_MS) report(`${id} is taken up late`)
  }

  const granted = (request: Request, data: Fields): void => {
    const id = String(data.sut_reservation_id)
    const made = model.reservations.get(id)
    const offer = offers.get(id)
    if (offer === undefined || request.offer?.reservation !== id) {
      report(`${request.id} is granted without an offer`)
      return
    }
    if (made === undefined) report(`${request.id} is granted ${id}, which was not made`)
    else if (made.user !== request.user || made.sut !== data.sut_id)
      report(`${id} is not what ${request.id} was offered`)
    if (!offer.couldHave) report(`${request.id} is granted ${data.sut_id}, which it could not have`)
    if (offer.passedOver.length > 0) report(`${request.id} is granted ${data.sut_id} before ${offer.passedOver.join()}`)
  }

  const ended = (event: LoggedEvent, request: Request, now: number): void => {
    const { type, metadata } = event
    if (request.offer !== undefined) report(`${type} of ${request.id}, which has an open offer`)
    const isBySchedule = type === 'RequestWithdrawn' && metadata.actor === 'schedule'
    if (isBySchedule && knownAt(event, log, model).mayHold(request.user)) report(`${request.id} is withdrawn`)
    if (type === 'RequestExpired' && request.expires > now) report(`${request.id} expires early`)
  }

  return (event: LoggedEvent): void => {
    const { type, data, metadata } = event
    const { _id, ...rest } = data as { readonly _id: string } & Fields
    if (type === 'ReservationCreated' && rest.sut_request_id !== undefined) reserved(event, _id, rest)
    if (!type.startsWith('Request')) return
    const request = model.requests.get(_id)
    const now = Date.parse(metadata.time)
    if (request?.status !== 'waiting') report(`${type} of ${_id}, which does not wait`)
    else if (type === 'RequestOffered') offered(request, event, rest, now)
    else if (type === 'RequestGranted') granted(request, rest)
    else if (type !== 'RequestOfferClosed') ended(event, request, now)
    else if (model.reservations.has(String(rest.sut_reservation_id)))
      report(`an offer to ${_id} is closed although it was reserved`)
  }
}

export const judge = (log: readonly LoggedEvent[]): Verdict => {
  const model = new LabModel()
  const problems: string[] = []
  const look = makeJudge(model, log, (problem) => problems.push(problem))
  for (const event of log) {
    look(event)
    model.take(event)
  }
  const count = (type: string): number => log.filter((event) => event.type === type).length
  const counts = {
    ...{ granted: count('RequestGranted'), closed: count('RequestOfferClosed') },
    ...{ withdrawn: count('RequestWithdrawn'), expired: count('RequestExpired') },
  }
  return { problems: [...problems, ...overlapping(model)], model, counts }
}

/** Who waits for a machine that has been free for it as long as it may take to offer it. @param now Unix milliseconds */
export const findIdle = (model: LabModel, now: number): readonly string[] => {
  const isFree = (request: Request, sut: string): boolean =>
    [now - OTHERS_MS, now].every((moment) => model.couldHave(request, sut, moment))
  const offered = new Set(model.waiting().flatMap(({ offer }) => (offer === undefined ? [] : [offer.sut])))
  return model
    .waiting()
    .flatMap((request) =>
      [...model.machines.keys()]
        .filter((sut) => !offered.has(sut) && isFree(request, sut))
        .map((sut) => `${request.id} waits although ${sut} is free`),
    )
}

/** Who waits and may not, any more. @param now Unix milliseconds */
export const findLeft = (model: LabModel, now: number): readonly string[] =>
  model.waiting().flatMap(({ id, user, offer, expires }) => {
    if (offer !== undefined) return []
    if (expires <= now) return [`${id} waits although it has expired`]
    return model.mayHold(user) ? [] : [`${id} waits although ${user} may hold nothing`]
  })
