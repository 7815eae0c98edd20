import test from 'ava'
import { readFirst } from '../../src/app/read-first.ts'

/** Reads until it is good enough for the ports to be opened. */
const readsFor = async (outcomes: readonly (boolean | Error)[], isUnwritten = false) => {
  const left = [...outcomes]
  let logged = 0
  await readFirst({
    upcoming: {
      load: async () => {
        const outcome = left.shift()
        if (outcome instanceof Error) throw outcome
        return outcome ?? true
      },
    },
    log: { error: () => logged++ },
    isUnwritten: () => isUnwritten,
    pause: async () => undefined,
    signal: new AbortController().signal,
  })
  return { reads: outcomes.length - left.length, logged }
}

test('ports and readiness wait until the running reservations have been read, but not for ever', async (t) => {
  t.deepEqual(await readsFor([true, true]), { reads: 1, logged: 0 })
  t.deepEqual(await readsFor([false, false, true, true]), { reads: 3, logged: 0 }, 'a checkpoint holds lists up')
  t.deepEqual(await readsFor([new Error('busy'), true]), { reads: 2, logged: 1 })
  t.deepEqual(await readsFor(Array.from({ length: 7 }, () => new Error('broken'))), { reads: 5, logged: 5 })
  t.deepEqual(await readsFor([false, false], true), { reads: 1, logged: 0 }, 'views cannot be written')
})
