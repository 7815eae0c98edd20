import { withServers } from '../measure/processes.ts'
import { watch } from '../measure/quiet.ts'
import { alternate } from '../measure/sampling.ts'
import type { TableRow } from '../measure/table.ts'
import { ask } from '../servers/berth.ts'
import { type Lab, startOver, untilReady } from './bookings.ts'
import { bothWays, inRounds, rowOf } from './rounds.ts'

/** A lab with two SUTs: one with a long history, and one without reservations. */

const STARTS = 5
const ROUNDS = 7
/** Creates on one SUT run in sequence, so more connections would only wait longer. */
const [CONNECTIONS, SECONDS] = [16, 1]

interface First {
  readonly start: number
  readonly create: number
}

/** Duration of a start and of the first create after it, in milliseconds. */
const first = async (lab: Lab, sut_id: string): Promise<First> => {
  const service = await startOver(lab.data)
  try {
    await untilReady(service)
    // Fills the credential cache: checking a password takes longer than the create.
    await ask(service.url, '/api/user/me')
    const began = performance.now()
    await lab.bookings.one(service.url, sut_id)
    return { start: service.startedWithin, create: performance.now() - began }
  } finally {
    await service.stop()
  }
}

export const oneSutRows = async (lab: Lab, say: (line: string) => void): Promise<readonly TableRow[]> => {
  const [long = '', empty = ''] = lab.ids
  const unknown = await inRounds(1, () => first(lab, long))
  const known = await inRounds(STARTS, (round) =>
    bothWays(
      round,
      () => first(lab, long),
      () => first(lab, empty),
    ),
  )
  const taken = await withServers(async (start) => {
    const service = await startOver(lab.data, start)
    const sample = (sut: string) => () => watch(service, () => lab.bookings.many(service, [sut], CONNECTIONS, SECONDS))
    return alternate({ long: sample(long), empty: sample(empty) }, { rounds: ROUNDS, say })
  })
  const past = `a SUT with ${Math.round(lab.listed / 1_000)},000 past reservations`
  const ms = { unit: 'ms', digits: 0 }
  return [
    rowOf(
      taken,
      { what: `CPU of a create on ${past} to one on an empty SUT` },
      (round) => round.long.cpu / round.long.requests / (round.empty.cpu / round.empty.requests),
    ),
    rowOf(known, { what: `start with ${past}`, ...ms }, ([{ start }]) => start),
    rowOf(known, { what: 'the first create on it after a start', ...ms }, ([{ create }]) => create),
    rowOf(known, { what: 'the first create on an empty SUT after a start', ...ms }, ([, { create }]) => create),
    rowOf(unknown, { what: 'the first create on it after a rebuild of its views', ...ms }, ({ create }) => create),
  ]
}
