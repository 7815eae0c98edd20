import test from 'ava'
import { type Running, type Setting, start, type Tidying, tidyingLater } from './harness.ts'

/** What the tests of a file share: it is there once they begin, and is tidied up after the last. */
export const shared = <A extends object>(begin: (scope: Tidying) => Promise<A>): A => {
  const { tidy, ...scope } = tidyingLater()
  const thing = {} as A
  test.before(async (t) => {
    t.timeout(240_000)
    Object.assign(thing, await begin(scope))
  })
  test.after.always(tidy)
  return thing
}

export const sharedService = (setting?: Setting): Running => shared((scope) => start(scope, setting))
