import type { SutValues } from '../../domain/sut/state.ts'

/** What stands at a place in the log, as far as the rules for what may follow need it. */

/** Finishes the sentence "the event at position 7 ...". */
export type Report = (what: string) => void

/** A reservation that holds its SUT. Unix seconds, and minutes east of UTC. */
export interface Held {
  /** Its id as a number of 96 bits in three: as text it would weigh as much as the whole. */
  readonly high: number
  readonly middle: number
  readonly low: number
  readonly user_id: string
  readonly start: number
  end: number
  endOffset: number
}

export interface Sut {
  status: 'absent' | 'standing' | 'retired' | 'abandoned'
  listen_port: number
  values: Partial<SutValues>
  tags: Map<string, string>
  /** Those not over at the stream's last event, by start. */
  windows: Held[]
  /** Those that were released lately, as they ended. */
  released: Held[]
}

/** The use of a retry key. */
export interface KeyUse {
  readonly time: number
  /** The SUT or reservation that the command was about. */
  readonly _id: string
}

export interface Stream {
  revision: number
  /** Unix milliseconds of its last event. */
  time: number
  /** Of its last event; null where it has none. */
  position: number | null
  /** Whether something is missing or cannot be read, so that nobody can say what stands in it. */
  isUncertain: boolean
  /** The retry keys of the last day, oldest first. */
  keys: Map<string, KeyUse> | undefined
  readonly sut: Sut
}

export const newStream = (): Stream => ({
  revision: -1,
  time: 0,
  position: null,
  isUncertain: false,
  keys: undefined,
  sut: { status: 'absent', listen_port: 0, values: {}, tags: new Map(), windows: [], released: [] },
})

/** A copy of a text that was cut out of a longer one, which it would keep in memory. */
export const copyText = (text: string): string => Buffer.from(text).toString()

/** The same for texts that come again and again: each is copied once. */
export const makeTextCache = (): ((text: string) => string) => {
  const known = new Map<string, string>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const copy = copyText(text)
    known.set(copy, copy)
    return copy
  }
}
