import test, { type ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { toStorePosition } from '../../../src/domain/values/position.ts'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { aPath, openStore } from '../../event-store/sqlite/subject.ts'
import { rounds } from '../../thorough.ts'
import { play } from '../script.ts'
import { APPEND_FAULTS, type Fault, failing, READ_FAULTS } from './failing-store.ts'

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

type Append = EventStore['append']

const lyingStores: Readonly<Record<string, (truth: EventStore) => Append>> = {
  'acknowledges an unwritten append': () => async (_, expected, events) =>
    E.right({ revision: expected + events.length, storePosition: toStorePosition(0) }),
  'reports a written append as full':
    (truth) =>
    async (...given) => {
      await truth.append(...given)
      return E.left('full')
    },
  'reports a written append as unavailable':
    (truth) =>
    async (...given) => {
      await truth.append(...given)
      return E.left('unavailable')
    },
}

for (const [how, lie] of Object.entries(lyingStores)) {
  test(`control: a store that ${how} is detected`, async (t) => {
    const truth = await aStore(t)
    const lying = lie(truth)
    let appends = 0
    // The two appends of the creation are correct; the first reservation is not.
    const store: EventStore = {
      ...truth,
      append: (...given) => (++appends === 3 ? lying(...given) : truth.append(...given)),
    }
    const problems = await play({ store, truth, isForgetful: false, repair: () => undefined })
    t.regex(
      problems.join('; '),
      /CreateReservation was (acknowledged, and is not in the log|called \w+, and is in the log)/,
    )
  })
}
