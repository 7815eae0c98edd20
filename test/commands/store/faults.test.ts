import test, { type ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { append } from '../../event-store/new-events.ts'
import { aPath, openStore } from '../../event-store/sqlite/subject.ts'
import { play } from '../script.ts'
import { APPEND_FAULTS, type Fault, failing, READ_FAULTS } from './failing-store.ts'

const aStore = async (t: ExecutionContext): Promise<EventStore> => openStore(t, await aPath(t))

/** Plays the story with the fault at its first call, its second and so on, and says how many of these failed. */
const playAll = async (t: ExecutionContext, fault: Fault, isForgetful: boolean): Promise<number> => {
  const truth = await aStore(t)
  let failures = 0
  for (let nth = 1; ; nth++) {
    const { store, mend, calls, hasFailed } = failing(truth, nth, fault)
    t.deepEqual(await play({ store, truth, isForgetful, mend }), [], `call ${nth}`)
    if (hasFailed()) failures++
    if (calls() < nth) return failures
  }
}

for (const fault of APPEND_FAULTS) {
  test(`an append, whichever it is, is ${fault}: nothing acknowledged is lost, nothing unknown is called refused`, async (t) => {
    t.true((await playAll(t, fault, false)) >= 9)
  })
}

for (const fault of READ_FAULTS) {
  test(`a stream, whichever it is, is ${fault}: nothing is decided on what could not be read`, async (t) => {
    t.true((await playAll(t, fault, true)) >= 9)
  })
}

test('the story is true where nothing fails, whether states are remembered or not', async (t) => {
  const truth = await aStore(t)
  for (const isForgetful of [false, true]) {
    t.deepEqual(await play({ store: truth, truth, isForgetful, mend: () => undefined }), [])
  }
})

type Append = EventStore['append']

const lyingStores: Readonly<Record<string, (truth: EventStore) => Append>> = {
  'acknowledges what it did not write': () => (_, expected, events) => async () =>
    E.right({ revision: expected + events.length, mark: 0 }),
  'calls full what it has written':
    (truth) =>
    (...given) =>
    async () => {
      await append(truth, ...given)
      return E.left('full')
    },
  'calls unavailable what it has written':
    (truth) =>
    (...given) =>
    async () => {
      await append(truth, ...given)
      return E.left('unavailable')
    },
}

for (const [how, lie] of Object.entries(lyingStores)) {
  test(`it shows when a store ${how}`, async (t) => {
    const truth = await aStore(t)
    const lying = lie(truth)
    let appends = 0
    // The creation's two appends are true; the first reservation is what is lied about.
    const store: EventStore = {
      ...truth,
      append: (...given) => (++appends === 3 ? lying(...given) : truth.append(...given)),
    }
    const problems = await play({ store, truth, isForgetful: false, mend: () => undefined })
    t.regex(
      problems.join('; '),
      /CreateReservation was (acknowledged, and is not in the log|called \w+, and is in the log)/,
    )
  })
}
