import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { type } from '../../command-line/terminal.ts'
import { sharedEnvironment } from '../../event-store/shared-store.ts'
import { start } from '../harness.ts'
import { createSut, NOW } from '../requests.ts'

/** Members that no canonical form has in this order. */
const MATCH = { tags: { rack: '4', bench: ['2', '1'] }, os: 'linux', not: { version: '9', name: 'x' }, model: 'm' }

test('a retry after the views are rebuilt gets the bytes of the first answer, and replay says "same"', async (t) => {
  const first = await start(t, { now: NOW })
  const tags = { zone: 'a', rack: '4', bench: '1' }
  await createSut(first.as('admin'), { os: 'linux', model: 'm', is_active: false, tags })
  const ask = ({ as }: typeof first) =>
    as('alice').post('/api/sut_request/create', { duration: 900, match: MATCH }, { 'Idempotency-Key': 'k' })
  const asked = await ask(first)
  t.is(asked.status, 201)
  await first.stop()
  const { code, out } = await type(['replay'], { BERTH_DATA: first.data, ...sharedEnvironment(first.data) })
  t.deepEqual([code, out.split(':')[0]], [0, 'same'])
  for (const name of await readdir(first.data)) if (name.startsWith('views.db')) await rm(join(first.data, name))
  const again = await start(t, { now: NOW, data: first.data })
  t.is((await ask(again)).text, asked.text)
})
