import test from 'ava'
import { retryKeyIds, retryKeyProjection } from '../../projections/retry-key.ts'
import { formatMilliseconds } from '../../src/domain/values/instant.ts'
import { sutCreated } from '../domain/builders.ts'
import { at, recordedAt } from '../domain/given-when-then.ts'

const HOUR = 3_600_000
const RECORDED = Date.parse('2030-01-01T07:00:00.000Z')
const KEY = `${'key'.padEnd(22, '_')}.${'request'.padEnd(22, '-')}`

test('a retry key is looked for where it was recorded for a day, and no longer after two', (t) => {
  const event = recordedAt(0, at('07:00', sutCreated(), { key: KEY }))
  const id = retryKeyProjection.key({ ...event, metadata: { ...event.metadata, time: formatMilliseconds(RECORDED) } })
  const isLookedFor = (hours: number) => retryKeyIds(KEY, RECORDED + hours * HOUR).includes(String(id))
  t.deepEqual([0, 5, 23, 24].map(isLookedFor), [true, true, true, true])
  t.deepEqual([36, 48, 24 * 3650].map(isLookedFor), [false, false, false])
  t.not(retryKeyIds(KEY.replace('key', 'yek'), RECORDED)[0], retryKeyIds(KEY, RECORDED)[0])
})
