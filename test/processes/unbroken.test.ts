import test from 'ava'
import { makeUnbroken } from '../../src/processes/keeping/unbroken.ts'

const [SECOND, MINUTE] = [1_000, 60_000]

/** An instance that checks every second. */
const instance = () => {
  const state = { isReady: true, mayRecord: true, boot: 500 * SECOND, wall: 1_900_000_000_000 }
  const clock = {
    now: () => state.wall,
    mayRecord: () => state.mayRecord,
    mayAct: () => true,
    confirm: () => undefined,
  }
  const unbroken = makeUnbroken({ isReady: () => state.isReady, clock, sinceBoot: () => state.boot })
  unbroken.check()
  return {
    state,
    unbroken,
    pass: (milliseconds: number): void => {
      for (let left = milliseconds; left > 0; left -= SECOND) {
        state.boot += Math.min(SECOND, left)
        state.wall += Math.min(SECOND, left)
        unbroken.check()
      }
    },
  }
}

test('the time begins when the instance is first ready', (t) => {
  const { state, unbroken, pass } = instance()
  state.isReady = false
  pass(MINUTE)
  t.is(unbroken.lasting(), 0)
  state.isReady = true
  pass(MINUTE)
  t.is(unbroken.lasting(), MINUTE - SECOND)
})

const breaks: Readonly<Record<string, (one: ReturnType<typeof instance>) => void>> = {
  'being not ready': ({ state, pass }) => {
    state.isReady = false
    pass(SECOND)
    state.isReady = true
  },
  'a clock that is not believed': ({ state, pass }) => {
    state.mayRecord = false
    pass(SECOND)
    state.mayRecord = true
  },
  'a suspension': ({ state, unbroken }) => {
    state.boot += MINUTE
    state.wall += MINUTE
    unbroken.check()
  },
  'a step of the clock': ({ state, unbroken }) => {
    state.wall += 2 * SECOND
    unbroken.check()
  },
}
for (const [what, happens] of Object.entries(breaks)) {
  test(`${what} is a break, after which the time counts anew`, (t) => {
    const one = instance()
    one.pass(MINUTE)
    t.is(one.unbroken.lasting(), MINUTE)
    happens(one)
    one.pass(10 * SECOND)
    t.true(one.unbroken.lasting() <= 10 * SECOND, `${one.unbroken.lasting()}`)
    t.true(one.unbroken.lasting() >= 9 * SECOND, `${one.unbroken.lasting()}`)
  })
}

test('a process that has no processor for a moment is no break, nor is a clock that is slewed', (t) => {
  const { state, unbroken, pass } = instance()
  pass(MINUTE)
  state.boot += 5 * SECOND
  state.wall += 5 * SECOND
  unbroken.check()
  state.wall += 500
  unbroken.check()
  t.is(unbroken.lasting(), MINUTE + 5 * SECOND)
})
