import test, { type ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import type { NewEvent } from '../../../src/domain/event.ts'
import { makeEventId } from '../../../src/domain/values/ids.ts'
import { type EventStore, StoreUnavailable } from '../../../src/event-store/event-store.ts'
import { append, randomHex } from '../../event-store/new-events.ts'
import { aPath, openStore } from '../../event-store/sqlite/subject.ts'
import { rounds } from '../../thorough.ts'
import { play } from '../script.ts'

/** Faults of the Nth append. */
const APPEND_FAULTS = [
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
const READ_FAULTS = ['unreadable', 'unreadable after its first page'] as const

type Fault = (typeof APPEND_FAULTS)[number] | (typeof READ_FAULTS)[number]

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

interface FailingStore {
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
const failing = (healthy: EventStore, nth: number, fault: Fault): FailingStore => {
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

const aStore = async (t: ExecutionContext): Promise<EventStore> => openStore(t, await aPath(t))

/** Plays the sequence with the fault at its first call, and at others so many calls apart; returns the failures. */
const playAll = async (t: ExecutionContext, fault: Fault, isForgetful: boolean, apart: number): Promise<number> => {
  const truth = await aStore(t)
  let failures = 0
  for (let nth = 1; ; nth += apart) {
    const { store, repair, calls, hasFailed } = failing(truth, nth, fault)
    t.deepEqual(await play({ store, truth, isForgetful, repair }), [], `call ${nth}`)
    if (hasFailed()) failures++
    if (calls() < nth) return failures
  }
}

/** What `npm test` runs. */
const FIRST: readonly Fault[] = ['written, but its answer is lost', 'unreadable']

const only = (fault: Fault): string => (FIRST.includes(fault) ? '' : 'thorough: ')

for (const fault of APPEND_FAULTS) {
  test(`${only(fault)}if any append is ${fault}, no acknowledged write is lost and no unknown outcome reported as refused`, async (t) => {
    const apart = rounds(3, 1)
    t.true((await playAll(t, fault, false, apart)) >= 9 / apart)
  })
}

for (const fault of READ_FAULTS) {
  test(`${only(fault)}if any stream is ${fault}, no command is decided on a partial read`, async (t) => {
    const apart = rounds(3, 1)
    t.true((await playAll(t, fault, true, apart)) >= 9 / apart)
  })
}

test('control: without faults, the sequence matches the log, with or without cached states', async (t) => {
  const truth = await aStore(t)
  for (const isForgetful of [false, true]) {
    t.deepEqual(await play({ store: truth, truth, isForgetful, repair: () => undefined }), [])
  }
})
