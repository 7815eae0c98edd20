/** The line separators of Unicode, at which many readers of lines split, in texts that people have written. */

import test from 'ava'
import { FORMATS, formatOf } from '../../src/archive/export-formats.ts'
import type { Recorded } from '../../src/domain/event.ts'
import { toPublicPosition } from '../../src/domain/values/position.ts'
import { sutCreated } from '../domain/builders.ts'
import { start } from '../http/harness.ts'
import { createSut, NOW } from '../http/requests.ts'
import { EVENT_STREAM, LINES, openStream } from './readers.ts'

const TEXT = 'one\u2028two\u2029three'
const ESCAPED = 'one\\u2028two\\u2029three'
const RAW = /[\u2028\u2029]/

test('line separators of Unicode leave the service as escapes, in answers, pages and streams', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const id = await createSut(admin, { description: TEXT })
  t.is((await admin.get(`/api/sut/${id}`)).json.description, TEXT)
  const refused = await admin.post(`/api/sut/${id}/update`, { [TEXT]: 1 })
  t.notRegex(refused.text, RAW)
  const lines = { Accept: LINES }
  const answers = [
    await admin.get(`/api/sut/${id}`),
    await admin.get('/api/sut'),
    await admin.get(`/api/sut/${id}/history`),
    await admin.get('/api/events'),
    await admin.get('/api/events', lines),
  ]
  const stream = await openStream(service.port, '?type=SutCreated', { accept: EVENT_STREAM })
  await stream.until(({ messages }) => messages.length > 0)
  for (const text of [...answers.map((answer) => answer.text), stream.text()]) {
    t.true(text.includes(ESCAPED))
    t.notRegex(text, RAW)
  }
  stream.close()
})

test('line separators of Unicode are escapes in exported JSON', (t) => {
  const { type, data } = sutCreated({ description: TEXT })
  const metadata = { actor: 'a', role: 'administrator', request_id: 'r', time: '2030-05-02T05:58:11.400Z', schema: 1 }
  const event = { type, data, metadata, id: 'e', stream: 'sut-1', revision: 1, storePosition: 0 } as unknown as Recorded
  for (const name of FORMATS) {
    const line = formatOf(name, false).line({ event, position: toPublicPosition(0), origin: 'lab' })
    t.true(line.includes(ESCAPED), name)
    t.notRegex(line, RAW, name)
  }
})
