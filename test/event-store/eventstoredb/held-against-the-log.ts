import { sutStream } from '../../../src/domain/values/ids.ts'
import { quarterOf, type RequestOutcome } from './persistent-clients.ts'
import type { ProtocolServer } from './protocol/protocol-server.ts'

/** Compares the responses to clients with the server's log. */

interface Recorded {
  readonly id: string
  readonly start: number
  readonly end: number
}

const dataOf = ({ data }: { readonly data: Uint8Array }): Readonly<Record<string, unknown>> =>
  JSON.parse(Buffer.from(data).toString())

/** The reservations and cancellations of a SUT, and contradictions within the log. */
const readTruth = (server: ProtocolServer, sut: string) => {
  const made: Recorded[] = []
  const cancelled: string[] = []
  const problems: string[] = []
  const standing = new Map<string, Recorded>()
  const eventIds = new Set<string>()
  for (const event of server.log.readable(sutStream(sut)) ?? []) {
    if (eventIds.has(event.id)) problems.push(`the event ${event.id} is there twice`)
    eventIds.add(event.id)
    const data = dataOf(event)
    const id = String(data._id)
    if (event.type === 'ReservationCreated') {
      const one = { id, start: quarterOf(data.start_time), end: quarterOf(data.end_time) }
      const other = [...standing.values()].find(({ start, end }) => start < one.end && one.start < end)
      if (other !== undefined) problems.push(`${shown(one)} overlaps ${shown(other)}`)
      if (made.some(({ start, end }) => start === one.start && end === one.end)) {
        problems.push(`${shown(one)} is recorded twice`)
      }
      made.push(one)
      standing.set(id, one)
    }
    if (event.type === 'ReservationCancelled') {
      if (!standing.delete(id)) problems.push(`${id} is cancelled twice, or was never made`)
      cancelled.push(id)
    }
  }
  return { made, cancelled, problems }
}

const shown = ({ start, end }: Pick<Recorded, 'start' | 'end'>): string => `the window ${start}-${end}`

/** The contradiction between a response and the log, if any. */
const problemOf = ({ wish, how, id, answers }: RequestOutcome, made: readonly Recorded[]): string | undefined => {
  const recorded = made.find(({ start, end }) => start === wish.start && end === wish.end)
  const description = `${shown(wish)}, answered ${answers.join(', ')},`
  if (how === 'wrong' || how === 'never answered') return `${description} had an unexpected outcome`
  if (how === 'made' && recorded === undefined) return `${description} is lost`
  if (how === 'made' && recorded?.id !== id) return `${description} is ${recorded?.id} in the log, not ${id}`
  if (how === 'refused' && recorded !== undefined) return `${description} was refused and is recorded`
  return undefined
}

/** Finds lost acknowledged writes, recorded refusals, duplicates and overlaps. */
export const findContradictions = (
  server: ProtocolServer,
  sut: string,
  outcomes: readonly RequestOutcome[],
): readonly string[] => {
  const { made, cancelled, problems } = readTruth(server, sut)
  const lost = outcomes
    .filter(({ id, wasCancelled }) => wasCancelled && id !== undefined && !cancelled.includes(id))
    .map(({ wish }) => `the cancellation of ${shown(wish)} is lost`)
  const unasked = made
    .filter(({ start, end }) => !outcomes.some(({ wish }) => wish.start === start && wish.end === end))
    .map((one) => `nobody asked for ${shown(one)}`)
  return [...problems, ...lost, ...unasked, ...outcomes.flatMap((one) => problemOf(one, made) ?? [])]
}
