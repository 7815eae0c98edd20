/** How an operator sees a store that accepts commands without answering, and interrupted subscriptions. */

import { status } from '@grpc/grpc-js'
import test from 'ava'
import type { Line } from '../../../http/harness.ts'
import { aSut, createSut } from '../../../http/requests.ts'
import { until } from '../../../http/until.ts'
import { exhausted, failure } from '../protocol/wire.ts'
import { aReadyService, escapedErrors, readinessOf, ready, sentencesOf } from './outage.ts'

test.after.always('no error is unhandled', (t) => t.deepEqual(escapedErrors(), []))

/** Milliseconds within which an operator is alerted. */
const KNOWN_WITHIN = 10_000

const SILENT = 'the event store does not answer; not ready'
const ANSWERS = 'the event store answers again'

test('thorough: a frozen node makes the service unready within 10 s, with an alarm and a log line, until it thaws', async (t) => {
  const { server, service, log } = await aReadyService(t)
  const admin = service.as('admin')
  const sut = await createSut(admin)
  server.freeze()
  const asked = Array.from({ length: 5 }, () => admin.post('/api/sut/create', aSut()))
  await until('not ready', async () => (await readinessOf(service)).status === 503, KNOWN_WITHIN)
  t.is(((await readinessOf(service)).json.parts as { store: string }).store, 'silent')
  t.true(sentencesOf(log).includes(SILENT))
  const { text } = await admin.get('/metrics')
  for (const sample of [`berth_alarm{part="store"} 1`, 'berth_ready 0']) t.true(text.includes(`\n${sample}\n`), sample)
  // Reads from memory still work.
  t.is((await admin.get(`/api/sut/${sut}`)).status, 200)
  server.thaw()
  await Promise.all(asked)
  // It recovers without further requests.
  await ready(service)
  for (const sentence of [SILENT, ANSWERS]) t.is(sentencesOf(log).filter((one) => one === sentence).length, 1)
  t.true((await admin.get('/metrics')).text.includes(`\nberth_alarm{part="store"} 0\n`))
})

test('thorough: a store that answers slowly is not reported as silent', async (t) => {
  const { server, service, log } = await aReadyService(t)
  const admin = service.as('admin')
  server.delayAnswers(400)
  const began = performance.now()
  while (performance.now() - began < 7_000) t.is((await admin.post('/api/sut/create', aSut())).status, 201)
  t.is((await readinessOf(service)).status, 200)
  t.false(sentencesOf(log).includes(SILENT))
})

const resumed = (log: readonly Line[]) =>
  log.filter(({ sentence }) => sentence === 'subscription to the event store was interrupted; resumed')

test('each interrupted and resumed subscription is logged with its cause and duration', async (t) => {
  const { server, service, log } = await aReadyService(t)
  const slow = failure(status.ABORTED, 'Operation timed out: Consumer too slow to handle event while live')
  for (let n = 1; n <= 3; n++) {
    if (n === 3) server.failNext('subscription', exhausted, 2)
    server.endSubscriptions(slow)
    await until('resumed', async () => resumed(log).length === n, 60_000)
    await createSut(service.as('admin'))
  }
  for (const { facts, level } of resumed(log)) {
    const { err, milliseconds } = facts as { err: Error; milliseconds: number }
    t.is(level, 'warn')
    t.regex(err.message, /Consumer too slow/)
    t.true(milliseconds >= 0 && Number.isInteger(milliseconds))
  }
  await service.stop()
  t.is(resumed(log).length, 3)
})
