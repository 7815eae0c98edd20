import test from 'ava'
import { GROWN_MAX, weighConsumer } from './store-memory.ts'

// The long version uses 100,000 events: `npm run test:long -- store-memory`.

test('a consumer stalled at the start of 20,000 events uses bounded memory and gets the rest on resuming', async (t) => {
  const { events, seen, grown, sent } = await weighConsumer(t, 'stalled', 20_000)
  t.true(grown < GROWN_MAX, `grown by ${grown} KiB`)
  // Events that do not fit its buffer stay on the server.
  t.true(sent < 12_000, `${sent} events were sent`)
  t.is(seen, events)
})

test('control: a consumer that keeps every event grows', async (t) => {
  const [few, many] = [await weighConsumer(t, 'keeping', 2_500), await weighConsumer(t, 'keeping', 10_000)]
  t.true(many.grown > 2 * few.grown, `${few.grown} KiB of 2,500 events, ${many.grown} KiB of 10,000`)
  t.true(many.sent >= 10_000)
})
