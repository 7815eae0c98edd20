import test from 'ava'
import { followEndings } from '../../../src/read-models/requests/endings.ts'
import type { Views } from '../../../src/read-models/views.ts'

const LONG = 600_000

test('waits are over in time, at a stop, and at once where too many wait', async (t) => {
  const endings = followEndings({
    newest: () => ({ document: JSON.stringify({ status: 'waiting' }) }),
    watch: () => () => undefined,
  } as unknown as Views)
  await endings.wait('a', 1)
  const waits = Array.from({ length: 4_096 }, (_, n) => endings.wait(`${n}`, LONG))
  await endings.wait('one too many', LONG)
  endings.end()
  await Promise.all(waits)
  await endings.wait('later', LONG)
  t.pass()
})
