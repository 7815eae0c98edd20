import test from 'ava'
import { until } from '../../../http/until.ts'
import { accessDenied } from '../protocol/wire.ts'
import {
  AGAIN_WITHIN,
  aReadyService,
  aStarting,
  escapedErrors,
  readinessOf,
  ready,
  sentencesOf,
  serviceAgain,
} from './outage.ts'

/** A service that starts while its store cannot be reached, and one that stops then. */

test.after.always('no error has escaped', (t) => t.deepEqual(escapedErrors(), []))

const WAITING = 'event store unavailable; retrying'

const outages = {
  'that is down': [(server) => server.stop(), (server) => server.start()],
  'that hangs': [(server) => server.freeze(), (server) => server.thaw()],
  'that is not ready': [(server) => server.setReady(false), (server) => server.setReady(true)],
} satisfies Readonly<Record<string, readonly [Act, Act]>>

type Act = (server: Awaited<ReturnType<typeof aStarting>>['server']) => void | Promise<void>

for (const [how, [leave, comeBack]] of Object.entries(outages) as readonly [string, readonly [Act, Act]][]) {
  test.serial(
    `a store ${how} at the start is waited for, the log says so, and the service is there when the store is`,
    async (t) => {
      const { server, log, begin } = await aStarting(t)
      await leave(server)
      const starting = begin()
      await until(WAITING, async () => sentencesOf(log).includes(WAITING), 20_000)
      t.deepEqual([...new Set(log.map(({ level }) => level))], ['warn'])
      await comeBack(server)
      const back = performance.now()
      const service = await starting
      await ready(service)
      const gap = performance.now() - back
      t.true(gap < AGAIN_WITHIN, `${gap} ms`)
      t.true((await serviceAgain(service)) < AGAIN_WITHIN)
    },
  )

  test(`a start that waits for a store ${how} ends when it is told to stop, and leaves nothing behind`, async (t) => {
    const { server, log, begin } = await aStarting(t)
    await leave(server)
    const stop = new AbortController()
    const ended = t.throwsAsync(begin(stop.signal), { name: 'StoreUnavailable' })
    await until(WAITING, async () => sentencesOf(log).includes(WAITING), 20_000)
    stop.abort()
    const told = performance.now()
    await ended
    // An attempt that is under way is given up in its own time.
    t.true(performance.now() - told < 6_000)
    await comeBack(server)
    await ready(await begin())
  })

  test(`a service over a store ${how} stops in order`, async (t) => {
    const { server, service, begin } = await aReadyService(t)
    await leave(server)
    const told = performance.now()
    await service.stop()
    t.true(performance.now() - told < AGAIN_WITHIN)
    await comeBack(server)
    await ready(await begin())
  })
}

test('a store that does not let the service in ends the start at once, with a sentence that says so', async (t) => {
  const { log, begin } = await aStarting(t, { users: { somebody: 'else' } })
  const error = await t.throwsAsync(begin(), { name: 'StoreDenied' })
  t.regex(String(error?.message), /denies access with these credentials/)
  t.false(sentencesOf(log).includes(WAITING))
})

test('rights to read the log as a whole are asked for at the start too', async (t) => {
  const { server, log, begin } = await aStarting(t)
  // The stream that says which log it is may be read and written; the second read is of all streams.
  await (await begin()).stop()
  server.failNext('read', accessDenied(), Number.POSITIVE_INFINITY)
  await t.throwsAsync(begin(), { name: 'StoreDenied' })
  t.false(sentencesOf(log).includes(WAITING))
})

test('it shows when a service is not ready', async (t) => {
  const { service } = await aReadyService(t)
  t.is((await readinessOf(service)).status, 200)
  await service.stop()
  await t.throwsAsync(readinessOf(service))
})
