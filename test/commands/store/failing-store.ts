import * as E from 'fp-ts/lib/Either.js'
import type { NewEvent } from '../../../src/domain/event.ts'
import { makeEventId } from '../../../src/domain/values/ids.ts'
import { type EventStore, StoreUnavailable } from '../../../src/event-store/event-store.ts'
import { append, randomHex } from '../../event-store/new-events.ts'

/** Faults of the Nth append. */
export const APPEND_FAULTS = [
  'full',
  'unavailable',
  'written, but its answer is lost',
  'not written, and its answer is lost',
  'written, but its answer and all later ones are lost',
  'not written, and its answer and all later ones are lost',
  'reported as a conflict without reason',
  'preceded by an equal append of another instance',
] as const

/** Faults of the Nth stream read. */
export const READ_FAULTS = ['unreadable', 'unreadable after its first page'] as const

export type Fault = (typeof APPEND_FAULTS)[number] | (typeof READ_FAULTS)[number]

interface LostAnswer {
  readonly why: 'moved' | 'full' | 'unavailable' | 'unknown'
  readonly isWritten?: true
  /** Until it is repaired. */
  readonly isForGood?: true
}

/** How an append ends. */
const ANSWERS: { readonly [F in Fault]?: LostAnswer } = {
  full: { why: 'full' },
  unavailable: { why: 'unavailable' },
  'written, but its answer is lost': { why: 'unknown', isWritten: true },
  'not written, and its answer is lost': { why: 'unknown' },
  'written, but its answer and all later ones are lost': { why: 'unknown', isWritten: true, isForGood: true },
  'not written, and its answer and all later ones are lost': { why: 'unknown', isForGood: true },
  'reported as a conflict without reason': { why: 'moved' },
}

export interface FailingStore {
  readonly store: EventStore
  /** Number of calls of the kind that the fault affects. */
  readonly calls: () => number
  readonly hasFailed: () => boolean
  /** Ends the fault. */
  readonly repair: () => void
}

/** The events as another instance would record them for its own request. */
const ofAnother = (events: readonly NewEvent[]): readonly NewEvent[] =>
  events.map((event) => {
    const { key: _, ...metadata } = event.metadata
    const of = {
      id: makeEventId(Date.parse(metadata.time), randomHex(10)),
      metadata: { ...metadata, request_id: 'another' },
    }
    switch (event.type) {
      case 'ReservationCreated':
        return { ...event, ...of, data: { ...event.data, _id: randomHex(12) } }
      case 'ListenPortAssigned':
        return { ...event, ...of, data: { ...event.data, sut_id: randomHex(12) } }
      default:
        return { ...event, ...of }
    }
  })

/** A store with a fault at its Nth append or stream read. */
export const failing = (healthy: EventStore, nth: number, fault: Fault): FailingStore => {
  let appends = 0
  let reads = 0
  let hasFailed = false
  let isRepaired = false

  const failed = (why: 'moved' | 'full' | 'unavailable' | 'unknown') => {
    hasFailed = true
    return E.left(why)
  }
  const failingAppend = async (...given: Parameters<typeof append>): ReturnType<typeof append> => {
    const [store, stream, expected, events] = given
    const isNth = ++appends === nth
    const isSince = appends >= nth && !isRepaired
    if (fault === 'preceded by an equal append of another instance' && isNth) {
      hasFailed = true
      await append(store, stream, expected, ofAnother(events))
    }
    const { why, isWritten = false, isForGood = false } = ANSWERS[fault] ?? {}
    const fails = why !== undefined && (isForGood ? isSince : isNth)
    const appended = fails && !(isWritten && isNth) ? undefined : await append(...given)
    return fails ? failed(why) : (appended as NonNullable<typeof appended>)
  }

  const unreadable = (): StoreUnavailable => {
    hasFailed = true
    return new StoreUnavailable('the disk does not answer')
  }

  return {
    calls: () => (APPEND_FAULTS.some((one) => one === fault) ? appends : reads),
    hasFailed: () => hasFailed,
    repair: () => {
      isRepaired = true
    },
    store: {
      ...healthy,
      append: (stream, expected, events, secrets) => failingAppend(healthy, stream, expected, events, secrets),
      async *readStream(stream, after) {
        const isNth = ++reads === nth
        if (isNth && fault === 'unreadable') throw unreadable()
        for await (const page of healthy.readStream(stream, after)) {
          // Pages of one event, so that there is a second page.
          for (const [i, event] of page.entries()) {
            if (isNth && fault === 'unreadable after its first page' && i > 0) throw unreadable()
            yield [event]
          }
        }
      },
    },
  }
}
