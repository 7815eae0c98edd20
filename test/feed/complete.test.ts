/** The end of a transfer of lines that is complete. */

import test from 'ava'
import { BEFORE_FIRST } from '../../src/domain/values/position.ts'
import { jsonLines } from '../../src/feed/events/frames.ts'
import { start } from '../http/harness.ts'
import { createSut, NOW } from '../http/requests.ts'
import { LINES, readLines } from './readers.ts'

test('a complete transfer of lines ends with the position of its response, whatever the filter', async (t) => {
  const service = await start(t, { now: NOW })
  await createSut(service.as('admin'))
  for (const [query, events] of [
    ['', 7],
    ['?type=SutCreated', 1],
    ['?type=SutRetired', 0],
    ['?after=latest', 0],
  ] as const) {
    const { text, headers } = await service.as('audrey').get(`/api/events${query}`, { Accept: LINES })
    const kinds = readLines(text).messages.map(({ kind }) => kind)
    t.deepEqual([kinds.length, kinds.indexOf('checkpoint')], [events + 1, events], query)
    t.is(text.split('\n').at(-2), `{"checkpoint":{"sequence":"${headers['berth-position']}"}}`, query)
  }
})

test('the end of an empty log has no position', (t) => {
  t.is(jsonLines.checkpoint(BEFORE_FIRST), '{"checkpoint":{"sequence":null}}\n')
})
