import { LabModel, type LoggedEvent, type Request } from './lab-model.ts'

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

/** Judges one more event, before the model takes it. */
const makeJudge = (model: LabModel, report: (problem: string) => void) => {
  const offers = new Map<string, Judged>()

  const offered = (request: Request, data: Readonly<Record<string, unknown>>, now: number): void => {
    const [sut, reservation] = [String(data.sut_id), String(data.sut_reservation_id)]
    if (request.offer !== undefined) report(`${request.id} has two offers`)
    if (request.expires <= now) report(`${request.id} is offered ${sut} although it has expired`)
    const passedOver = model
      .waiting()
      .filter((other) => goesBefore(other, request) && model.couldHave(other, sut, now))
      .map(({ id }) => id)
    offers.set(reservation, { passedOver, couldHave: model.couldHave(request, sut, now) })
  }

  const granted = (request: Request, data: Readonly<Record<string, unknown>>): void => {
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

  const ended = (type: string, request: Request, now: number): void => {
    if (request.offer !== undefined) report(`${type} of ${request.id}, which has an open offer`)
    if (type === 'RequestExpired' && request.expires > now) report(`${request.id} expires early`)
  }

  return ({ type, data, metadata }: LoggedEvent): void => {
    const { _id, ...rest } = data as { readonly _id: string } & Readonly<Record<string, unknown>>
    if (!type.startsWith('Request')) return
    const request = model.requests.get(_id)
    const now = Date.parse(metadata.time)
    if (request?.status !== 'waiting') report(`${type} of ${_id}, which does not wait`)
    else if (type === 'RequestOffered') offered(request, rest, now)
    else if (type === 'RequestGranted') granted(request, rest)
    else if (type !== 'RequestOfferClosed') ended(type, request, now)
    else if (model.reservations.has(String(rest.sut_reservation_id)))
      report(`an offer to ${_id} is closed although it was reserved`)
  }
}

export const judge = (log: readonly LoggedEvent[]): Verdict => {
  const model = new LabModel()
  const problems: string[] = []
  const look = makeJudge(model, (problem) => problems.push(problem))
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

/** Who waits for a machine that is free for it. @param now Unix milliseconds */
export const findIdle = (model: LabModel, now: number): readonly string[] => {
  const offered = new Set(model.waiting().flatMap(({ offer }) => (offer === undefined ? [] : [offer.sut])))
  return model
    .waiting()
    .flatMap((request) =>
      [...model.machines.keys()]
        .filter((sut) => !offered.has(sut) && model.couldHave(request, sut, now))
        .map((sut) => `${request.id} waits although ${sut} is free`),
    )
}
