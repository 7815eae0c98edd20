import type { Decider, StreamState } from '../../domain/decider.ts'
import { type SutState, sutFold } from '../../domain/sut/state.ts'
import { sutStream } from '../../domain/values/ids.ts'
import type { PublicPosition } from '../../domain/values/position.ts'

/** Completes the sentence "the event at position 7 ...". */
export type Report = (what: string) => void

/** A stream at a position in the log. */
export interface Stream {
  revision: number
  /** Unix milliseconds of its last event. */
  time: number
  /** Position of its last event; null if there is none. */
  position: PublicPosition | null
  /** Whether an event is missing or unreadable, so that the state is uncertain. */
  isUncertain: boolean
  /** As the domain folds it; undefined before the first event, and where nothing is decided. */
  state: StreamState | undefined
}

export const makeStreams = () => {
  const streams = new Map<string, Stream>()
  /** The state of a stream; undefined if it is uncertain. */
  const stateOf = <S extends StreamState>(name: string, { initial }: Pick<Decider<S, never>, 'initial'>) => {
    const stream = streams.get(name)
    return stream?.isUncertain ? undefined : ((stream?.state as S | undefined) ?? initial)
  }
  return {
    get: (name: string): Stream => {
      const known = streams.get(name)
      if (known !== undefined) return known
      const stream: Stream = { revision: -1, time: 0, position: null, isUncertain: false, state: undefined }
      streams.set(name, stream)
      return stream
    },
    stateOf,
    sutOf: (sutId: string): SutState | undefined => stateOf(sutStream(sutId), sutFold),
    all: (): ReadonlyMap<string, Stream> => streams,
  }
}

export type Streams = ReturnType<typeof makeStreams>
