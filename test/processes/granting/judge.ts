/** Holds a log against the rule of fairness, and what else must be so of requests. */

import { isOfRequest, LabModel, type LoggedEvent, type Request } from './lab-model.ts'
import { OTHERS_MS } from './queue-lab.ts'

const goesBefore = (a: Request, b: Request): boolean =>
  a.priority > b.priority || (a.priority === b.priority && a.place < b.place)

export interface Verdict {
  readonly problems: readonly string[]
  readonly model: LabModel
  readonly counts: {
    readonly granted: number
    readonly closed: number
    readonly withdrawn: number
    readonly expired: number
    readonly kept: number
    /** For want of a sign of life. */
    readonly lost: number
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

/** The lab as the instance knew it that recorded event `n`. Requests are decided in their stream, so these it knew. */
const knownAt = (n: number, log: readonly LoggedEvent[], model: LabModel): LabModel => {
  const seen = log[n]?.appended?.known ?? n
  if (log.slice(seen, n).every(isOfRequest)) return model
  const known = new LabModel(model.requests)
  for (const event of log.slice(0, seen)) if (!isOfRequest(event)) known.take(event)
  return known
}

/** Judges one more event, before the model takes it. */
const makeJudge = (model: LabModel, log: readonly LoggedEvent[], report: (problem: string) => void) => {
  /** When each reservation was offered, in Unix milliseconds. */
  const offers = new Map<string, number>()

  const offered = (n: number, request: Request, data: Fields, now: number): void => {
    const sut = String(data.sut_id)
    const known = knownAt(n, log, model)
    const reachableFor = log[n]?.appended?.reachableFor ?? 0
    if (request.offer !== undefined) report(`${request.id} has two offers`)
    if (request.expires <= now) report(`${request.id} is offered ${sut} although it has expired`)
    if (!known.couldHave(request, sut, now, reachableFor))
      report(`${request.id} is offered ${sut}, which it could not have`)
    const passedOver = known
      .waiting()
      .filter((other) => goesBefore(other, request) && known.couldHave(other, sut, now, reachableFor))
    for (const { id } of passedOver) report(`${request.id} is offered ${sut} before ${id}`)
    offers.set(String(data.sut_reservation_id), now)
  }

  const reserved = ({ appended }: LoggedEvent, id: string, { sut_id, sut_request_id }: Fields): void => {
    const [time, request] = [offers.get(id), model.requests.get(String(sut_request_id))]
    if (time === undefined || request === undefined) report(`${id} was not offered`)
    else if (!model.fits(request, String(sut_id))) report(`${request.id} is granted ${sut_id}, which does not fit`)
    else if (Math.abs((appended?.at ?? 0) - time) > TAKEN_UP_MS) report(`${id} is taken up late`)
  }

  const granted = (request: Request, data: Fields): void => {
    const id = String(data.sut_reservation_id)
    const made = model.reservations.get(id)
    if (request.offer?.reservation !== id) report(`${request.id} is granted without an offer`)
    else if (made === undefined) report(`${request.id} is granted ${id}, which was not made`)
    else if (made.user !== request.user || made.sut !== data.sut_id)
      report(`${id} is not what ${request.id} was offered`)
  }

  const ended = (n: number, { type, data, metadata, appended }: LoggedEvent, request: Request, now: number): void => {
    if (request.offer !== undefined) report(`${type} of ${request.id}, which has an open offer`)
    const isBySchedule = type === 'RequestWithdrawn' && metadata.actor === 'schedule'
    if (isBySchedule && knownAt(n, log, model).mayHold(request.user)) report(`${request.id} is withdrawn`)
    if (type !== 'RequestExpired') return
    const { cause } = data as { readonly cause?: string }
    const reachableFor = appended?.reachableFor ?? 0
    if (cause === undefined && request.expires > now) report(`${request.id} expires early`)
    if (cause === 'keepalive' && !model.isSilent(request, now, reachableFor, 2)) report(`${request.id} is not silent`)
    if (cause === 'retired' && !model.machines.get(String(request.sut))?.isRetired)
      report(`${request.id} waits for ${request.sut}, which is not retired`)
  }

  const kept = ({ id, keepalive, heard }: Request, now: number): void => {
    if (keepalive === undefined) report(`${id} need not be kept alive`)
    else if (now - heard < keepalive * 500) report(`${id} is kept alive early`)
  }

  return (n: number, event: LoggedEvent): void => {
    const { type, data, metadata } = event
    const { _id, ...rest } = data as { readonly _id: string } & Fields
    if (type === 'ReservationCreated' && rest.sut_request_id !== undefined) reserved(event, _id, rest)
    if (!type.startsWith('Request')) return
    const request = model.requests.get(_id)
    const now = Date.parse(metadata.time)
    if (request?.status !== 'waiting') report(`${type} of ${_id}, which does not wait`)
    else if (type === 'RequestOffered') offered(n, request, rest, now)
    else if (type === 'RequestGranted') granted(request, rest)
    else if (type === 'RequestKept') kept(request, now)
    else if (type !== 'RequestOfferClosed') ended(n, event, request, now)
    else if (model.reservations.has(String(rest.sut_reservation_id)))
      report(`an offer to ${_id} is closed although it was reserved`)
  }
}

export const judge = (log: readonly LoggedEvent[]): Verdict => {
  const model = new LabModel()
  const problems: string[] = []
  const look = makeJudge(model, log, (problem) => problems.push(problem))
  for (const [n, event] of log.entries()) {
    look(n, event)
    model.take(event)
  }
  const count = (type: string): number => log.filter((event) => event.type === type).length
  const counts = {
    ...{ granted: count('RequestGranted'), closed: count('RequestOfferClosed') },
    ...{ withdrawn: count('RequestWithdrawn'), expired: count('RequestExpired') },
    ...{
      kept: count('RequestKept'),
      lost: log.filter(({ data }) => 'cause' in data && data.cause === 'keepalive').length,
    },
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

/**
 * Who waits and may not, any more.
 *
 * @param now Unix milliseconds
 * @param reachableFor milliseconds for which every instance has been running
 */
export const findLeft = (model: LabModel, now: number, reachableFor: number): readonly string[] =>
  model.waiting().flatMap((request) => {
    const { id, user, sut, offer, expires } = request
    if (offer !== undefined) return []
    if (expires <= now) return [`${id} waits although it has expired`]
    if (sut !== undefined && model.machines.get(sut)?.isRetired) return [`${id} waits although ${sut} is retired`]
    if (model.isSilent(request, now, reachableFor, 2)) return [`${id} waits although nobody asks for it`]
    return model.mayHold(user) ? [] : [`${id} waits although ${user} may hold nothing`]
  })
