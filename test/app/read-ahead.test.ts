import test from 'ava'
import { readAhead } from '../../src/processes/upcoming.ts'

/** Reads ahead until the outcomes have all been used. Returns what had been read when ports were first opened. */
const openedAfter = async (
  outcomes: readonly (boolean | Error)[],
  isUnwritten = false,
): Promise<{ readonly reads: number | undefined; readonly logged: number }> => {
  const stop = new AbortController()
  const left = [...outcomes]
  let opened: number | undefined
  let logged = 0
  await readAhead(
    {
      upcoming: {
        isLoadDue: () => true,
        load: async () => {
          const outcome = left.shift()
          if (outcome instanceof Error) throw outcome
          return outcome ?? true
        },
      },
      clock: { mayAct: () => true },
      log: { error: () => logged++ },
      isUnwritten: () => isUnwritten,
      wake: async () => {
        if (left.length === 0) stop.abort()
      },
      pause: async () => undefined,
      signal: stop.signal,
    },
    async () => {
      opened = outcomes.length - left.length
    },
  )
  return { reads: opened, logged }
}

test('ports are opened once the running reservations have been read', async (t) => {
  t.deepEqual(await openedAfter([true, true]), { reads: 1, logged: 0 })
})

test('while a checkpoint holds lists up, ports and readiness wait for them', async (t) => {
  t.deepEqual(await openedAfter([false, false, true, true]), { reads: 3, logged: 0 })
})

test('a read that fails is repeated before the service is ready', async (t) => {
  t.deepEqual(await openedAfter([new Error('busy'), true]), { reads: 2, logged: 1 })
})

test('reads that fail five times, or views that cannot be written, do not keep the service from being ready', async (t) => {
  const failures = Array.from({ length: 7 }, () => new Error('broken'))
  t.deepEqual(await openedAfter(failures), { reads: 5, logged: 7 })
  t.deepEqual(await openedAfter([false, false], true), { reads: 1, logged: 0 })
})
