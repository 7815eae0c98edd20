/** Starting and stopping a service while its store is unreachable. */

import test from 'ava'
import { stopwatch, until } from '../../../http/until.ts'
import { accessDenied } from '../protocol/wire.ts'
import {
  AGAIN_WITHIN,
  aReadyService,
  aStarting,
  escapedErrors,
  isAgainInTime,
  readinessOf,
  ready,
  sentencesOf,
} from './outage.ts'

test.after.always('no error is unhandled', (t) => t.deepEqual(escapedErrors(), []))

const WAITING = 'event store unavailable; retrying'

type Act = (server: Awaited<ReturnType<typeof aStarting>>['server']) => void | Promise<void>

const outages: Readonly<Record<string, readonly [leave: Act, comeBack: Act]>> = {
  'that is down': [(server) => server.stop(), (server) => server.start()],
  'that hangs': [(server) => server.freeze(), (server) => server.thaw()],
  'that is not ready': [(server) => server.setReady(false), (server) => server.setReady(true)],
}

for (const [how, [leave, comeBack]] of Object.entries(outages)) {
  test.serial(
    `${how === 'that is down' ? '' : 'thorough: '}at startup, the service logs that it waits for a store ${how}, and starts once the store is back`,
    async (t) => {
      const { server, log, begin } = await aStarting(t)
      await leave(server)
      const starting = begin()
      await until(WAITING, async () => sentencesOf(log).includes(WAITING), 60_000)
      t.deepEqual([...new Set(log.map(({ level }) => level))], ['warn'])
      await comeBack(server)
      const taken = stopwatch()
      const service = await starting
      await ready(service)
      t.true(taken() < AGAIN_WITHIN)
      await isAgainInTime(t, service)
    },
  )
}

test('stopping a service that waits for a store that hangs ends the start and leaves nothing behind', async (t) => {
  const { server, log, begin } = await aStarting(t)
  server.freeze()
  const stop = new AbortController()
  const ended = t.throwsAsync(begin(stop.signal), { name: 'StoreUnavailable' })
  await until(WAITING, async () => sentencesOf(log).includes(WAITING), 60_000)
  stop.abort()
  const taken = stopwatch()
  await ended
  // An attempt in flight may run to its own timeout.
  t.true(taken() < 6_000)
  server.thaw()
  await ready(await begin())
})

test('a service with a store that hangs stops cleanly', async (t) => {
  const { server, service, begin } = await aReadyService(t)
  t.is((await readinessOf(service)).status, 200)
  server.freeze()
  const taken = stopwatch()
  await service.stop()
  t.true(taken() < AGAIN_WITHIN)
  await t.throwsAsync(readinessOf(service))
  server.thaw()
  await ready(await begin())
})

test('a store that denies access fails the start at once, with a clear message', async (t) => {
  const { log, begin } = await aStarting(t, { users: { somebody: 'else' } })
  const error = await t.throwsAsync(begin(), { name: 'StoreDenied' })
  t.regex(String(error?.message), /denies access with these credentials/)
  t.false(sentencesOf(log).includes(WAITING))
})

test('the start also fails without permission to read the whole log', async (t) => {
  const { server, log, begin } = await aStarting(t)
  // The stream with the log id can be read and written; the second read is of $all.
  await (await begin()).stop()
  server.failNext('read', accessDenied(), Number.POSITIVE_INFINITY)
  const error = await t.throwsAsync(begin(), { name: 'StoreDenied' })
  t.regex(String(error?.message), /\$all|berth-log/)
  t.false(sentencesOf(log).includes(WAITING))
})
