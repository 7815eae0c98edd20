import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { type } from '../../command-line/terminal.ts'
import { sharedEnvironment } from '../../event-store/shared-store.ts'
import { EVENTS_OF_START, idOf, start } from '../../http/harness.ts'
import { until } from '../../http/until.ts'
import { becomes, connected, given, hangUp, isClosed, NOW, sessionsOf } from './stage.ts'

/** What a start makes of sessions that the last run left in the file, and of those that a wrong clock recorded. */

const MORNING = '2030-05-02T05:00:00.000Z'

test('a start records what is readable in the file of sessions and in this log, once', async (t) => {
  const { service, environment, sut_id, reservation } = await given(t)
  const { data } = service
  await service.stop()
  const left = (second: string, more: object = {}) => ({
    _id: `${Math.floor(Date.parse(NOW) / 1000).toString(16)}${second.padStart(16, '0')}`,
    ...{ reservation_id: reservation, sut_id, user_id: idOf('alice'), instance: '0123456789abcdef' },
    ...{ opened_at: NOW, closed_at: NOW, connections: 1, bytes_to_sut: 2, bytes_from_sut: 3, cause: 'lost', ...more },
  })
  const known = left('1')
  const lines = [
    'no JSON',
    '[]',
    '{}',
    JSON.stringify(left('2', { connections: 0 })),
    JSON.stringify(left('3', { cause: 'unheard' })),
    JSON.stringify(left('4', { reservation_id: 'a'.repeat(24) })),
    JSON.stringify(left('5', { sut_id: 'a'.repeat(24) })),
    JSON.stringify(left('6', { user_id: idOf('bob') })),
    JSON.stringify(known),
    JSON.stringify(known),
    JSON.stringify(known).slice(0, -9),
  ]
  await writeFile(join(data, 'sessions'), lines.join('\n'))
  const again = await start(t, { now: NOW, data, environment })
  const { sessions } = await becomes(again, 'the session is recorded', isClosed)
  t.deepEqual(sessions, [{ ...known, user_name: 'alice' }])
  const damaged = 'a line of the file of open sessions is damaged; using the log'
  t.is(again.log.filter(({ sentence }) => sentence === damaged).length, 6)
  await again.stop()
  const verified = await type(['verify'], { BERTH_DATA: data, ...sharedEnvironment(data) })
  t.is(verified.code, 0, verified.out)
})

test('once a span with sessions is corrected, sessions are recorded again, and the log is sound', async (t) => {
  const stage = await given(t)
  const { service, port, environment } = stage
  await hangUp(service, await connected(stage))
  service.clock.set('2030-05-02T06:03:30.000Z')
  await becomes(service, 'the session is closed', isClosed)
  const { data } = service
  const last = Number((await service.as('admin').get('/api/user/me')).headers['berth-position'])
  await service.stop()
  // The clock was 62 minutes ahead.
  const again = await start(t, { now: MORNING, data, environment })
  const env = { BERTH_DATA: data, ...sharedEnvironment(data) }
  const span = ['--from', String(EVENTS_OF_START + 1), '--to', String(last)]
  const now = (): number => Date.parse(MORNING)
  const corrected = await type(['clock', 'correct', ...span, '--why', 'ahead'], env, { now })
  t.is(corrected.code, 0, corrected.error)
  again.clock.set('2030-05-02T06:00:00.000Z')
  const { sessions } = await sessionsOf(again)
  t.is(sessions.length, 1)
  await hangUp(again, await connected({ service: again, port }))
  again.clock.set('2030-05-02T06:01:30.000Z')
  await becomes(again, 'a second session is closed', ({ count, sessions: [newest] }) => {
    return count === 2 && newest?.closed_at !== null
  })
  await until('nothing waits', async () => (await sessionsOf(again, '?open=true')).count === 0, 60_000)
  await again.stop()
  const verified = await type(['verify'], env)
  t.is(verified.code, 0, verified.out)
})
