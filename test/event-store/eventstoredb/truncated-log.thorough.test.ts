/** A store that returns with fewer events: restored from a backup, or with a leader that missed some. */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { sutStream } from '../../../src/domain/values/ids.ts'
import type { Running } from '../../http/harness.ts'
import { refusalOf } from '../../http/refusals/problems.ts'
import { aReservation, aSut, createSut, reserve, reserved } from '../../http/requests.ts'
import { until } from '../../http/until.ts'
import type { LogEvent } from './protocol/log.ts'
import type { ProtocolServer } from './protocol/protocol-server.ts'
import { AGAIN_WITHIN, aReadyService, escapedErrors, readinessOf, ready, sentencesOf } from './service/outage.ts'

test.after.always('no error is unhandled', (t) => t.deepEqual(escapedErrors(), []))

const ALARM = 'the event store holds another log'

const window = (hour: number) => ({
  start_time: `2030-05-03T${String(hour).padStart(2, '0')}:00:00+00:00`,
  end_time: `2030-05-03T${String(hour + 1).padStart(2, '0')}:00:00+00:00`,
})

const lastOf = (server: ProtocolServer, sut: string): LogEvent =>
  server.log.readable(sutStream(sut))?.at(-1) as LogEvent

/** A service that has read a reservation which the stopped store then loses. */
const cutOff = async (t: ExecutionContext) => {
  const given = await aReadyService(t)
  const { server, service } = given
  const sut = await createSut(service.as('admin'))
  await reserved(service.as('alice'), aReservation(sut, window(8)))
  const lost = lastOf(server, sut)
  await server.stop()
  server.log.truncateAfter(lost.position - 1)
  return { ...given, sut, lost }
}

const isAnother = async (service: Running): Promise<boolean> => {
  const answer = await readinessOf(service)
  return answer.status === 503 && (answer.json.parts as { readonly store: string }).store === 'another'
}

test('after the log loses events that were read, the service raises an alarm, is unready and answers 503', async (t) => {
  const { server, service, log, begin, sut, data } = await cutOff(t)
  await server.start()
  await until('another', () => isAnother(service), AGAIN_WITHIN)
  t.true(sentencesOf(log).includes(ALARM))
  const admin = service.as('admin')
  const there = server.log.all().length
  for (const refused of [
    await admin.get(`/api/sut/${sut}`),
    await admin.get('/api/sut?limit=5'),
    await admin.post('/api/sut/create', aSut()),
    await reserve(service.as('alice'), aReservation(sut, window(10))),
  ]) {
    t.deepEqual(refusalOf(refused), [503, 'unavailable'])
  }
  t.is(server.log.all().length, there)
  t.is((await service.anyone.get('/health/live')).status, 200)
  const { text } = await admin.get('/metrics')
  for (const sample of [`berth_alarm{part="store"} 1`, 'berth_ready 0']) t.true(text.includes(`\n${sample}\n`), sample)
  await service.stop()
  // A restart with the same views detects it again. Deleting views.db accepts the log as it is.
  const started = await begin()
  await until('another', () => isAnother(started), AGAIN_WITHIN)
  await started.stop()
  rmSync(join(data, 'views.db'))
  const decided = await begin()
  await ready(decided)
  t.is((await reserve(decided.as('alice'), aReservation(sut, window(8)))).status, 201)
})

test('thorough: no command is decided on cached state after a log was truncated and grew to the same length', async (t) => {
  for (let round = 0; round < 5; round++) {
    const { server, service, sut, lost } = await cutOff(t)
    const data = JSON.parse(Buffer.from(lost.data).toString())
    const other = { ...data, ...window(10), _id: 'f'.repeat(24) }
    const grown = {
      type: lost.type,
      metadata: lost.metadata,
      id: crypto.randomUUID(),
      data: Buffer.from(JSON.stringify(other)),
    }
    server.log.append(lost.stream, lost.revision - 1, [grown])
    t.is(lastOf(server, sut).revision, lost.revision)
    const { length } = server.log.all()
    // Sent before the views can check the log.
    const asked = Array.from({ length: 3 }, () => reserve(service.as('alice'), aReservation(sut, window(10))))
    await server.start()
    for (const answer of await Promise.all(asked)) t.not(answer.status, 201)
    await until('another', () => isAnother(service), AGAIN_WITHIN)
    t.is(server.log.all().length, length)
    await service.stop()
  }
})
