import test from 'ava'
import { GROWN_MAX, weighConsumer } from './store-memory.ts'

// The long version uses 100,000 events: `npm run test:long -- store-memory`.

test('a consumer stalled at the start of 20,000 events uses bounded memory and gets the rest on resuming', async (t) => {
  const { events, seen, grown, sent } = await weighConsumer(t, 20_000)
  t.true(grown < GROWN_MAX, `grown by ${grown} KiB`)
  // Events that do not fit its buffer stay on the server.
  t.true(sent < 12_000, `${sent} events were sent`)
  t.is(seen, events)
})
