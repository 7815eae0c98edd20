import * as E from 'fp-ts/lib/Either.js'
import { type CommandsOf, type Decision, makeDecider, type StreamState } from '../decider.ts'
import { refuse } from '../failure.ts'
import { makeId } from '../values/ids.ts'
import { bisect } from '../values/sorted-list.ts'

export interface PortRange {
  readonly first: number
  readonly last: number
}

export interface Assignment {
  readonly sut_id: string
  readonly listen_port: number
  /** Unix milliseconds of the assignment, which is also the SUT's creation time. */
  readonly time: number
}

export interface ListenPortState extends StreamState {
  /** By port. */
  readonly assigned: readonly Assignment[]
  /** Released ports that are free, longest free first. */
  readonly released: readonly number[]
}

const insertionIndex = (assigned: readonly Assignment[], port: number): number =>
  bisect(assigned.length, (n) => (assigned[n] as Assignment).listen_port >= port)

/** Up to `count` free ports: the lowest ones never used, then those that were released first. */
const choosePorts = (state: ListenPortState, range: PortRange, count: number): readonly number[] => {
  const released = new Set(state.released)
  const ports: number[] = []
  let next = insertionIndex(state.assigned, range.first)
  for (let port = range.first; port <= range.last && ports.length < count; port++) {
    if (state.assigned[next]?.listen_port === port) next++
    else if (!released.has(port)) ports.push(port)
  }
  const back = state.released.filter((port) => port >= range.first && port <= range.last)
  return [...ports, ...back.slice(0, count - ports.length)]
}

interface AssignListenPorts {
  readonly range: PortRange
  /** 8 random bytes in hex for each SUT's id. */
  readonly randoms: readonly string[]
}

const assign = (state: ListenPortState, { range, randoms }: AssignListenPorts, now: number): Decision => {
  const ports = choosePorts(state, range, randoms.length)
  if (ports.length === randoms.length) {
    return E.right(
      ports.map((listen_port, n) => ({
        type: 'ListenPortAssigned',
        data: { listen_port, sut_id: makeId(now, randoms[n] as string) },
      })),
    )
  }
  const { first, last } = range
  const detail =
    randoms.length === 1
      ? `Every listen_port from ${first} to ${last} is in use. Retire a SUT to free one.`
      : `These are ${randoms.length} SUTs, and ${ports.length} of the listen_ports from ${first} to ${last} are free. Create fewer, or retire others.`
  return refuse('listen_ports_exhausted', detail)
}

const rules = {
  /** The first append of the creation of SUTs: assigns an id and a port to each, or nothing to any. */
  AssignListenPorts: assign,
  /** Releases the port of a SUT that was retired or whose creation was broken off. */
  ReleaseListenPort: ({ assigned }: ListenPortState, { sut_id }: { readonly sut_id: string }): Decision => {
    const assignment = assigned.find((each) => each.sut_id === sut_id)
    if (assignment === undefined) return E.right([])
    return E.right([{ type: 'ListenPortReleased', data: { listen_port: assignment.listen_port, sut_id } }])
  },
}

export type ListenPortCommand = CommandsOf<typeof rules>

export const listenPortDecider = makeDecider<ListenPortState, ListenPortCommand>({
  initial: { time: 0, keys: [], assigned: [], released: [] },
  version: 4,
  fold: (state, event, time) => {
    if (event.type !== 'ListenPortAssigned' && event.type !== 'ListenPortReleased') return state
    const { sut_id, listen_port } = event.data
    const released = state.released.filter((port) => port !== listen_port)
    if (event.type === 'ListenPortReleased') {
      const assigned = state.assigned.filter((assignment) => assignment.sut_id !== sut_id)
      return { ...state, assigned, released: [...released, listen_port] }
    }
    const place = insertionIndex(state.assigned, listen_port)
    return { ...state, assigned: state.assigned.toSpliced(place, 0, { sut_id, listen_port, time }), released }
  },
  rules,
})
