/** What a start makes of sessions that the last run left in the file. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { type } from '../../command-line/terminal.ts'
import { sharedEnvironment } from '../../event-store/shared-store.ts'
import { idOf, start } from '../../http/harness.ts'
import { becomes, given, isClosed, NOW } from './stage.ts'

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
