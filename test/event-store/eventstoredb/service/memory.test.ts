import test from 'ava'
import { GROWN_MAX, weighConsumer } from './store-memory.ts'

// The long form has 100,000 events: `npm run test:long -- store-memory`.

test('a consumer that stalls at the beginning of 20,000 events does not grow, and gets the rest when it goes on', async (t) => {
  const { events, seen, grown, sent } = await weighConsumer(t, 'stalled', 20_000)
  t.true(grown < GROWN_MAX, `grown by ${grown} KiB`)
  // What does not fit its buffer stays on the server.
  t.true(sent < 12_000, `${sent} events were sent`)
  t.is(seen, events)
})

test('it shows when a consumer keeps whatever comes', async (t) => {
  const [few, many] = [await weighConsumer(t, 'keeping', 2_500), await weighConsumer(t, 'keeping', 10_000)]
  t.true(many.grown > 2 * few.grown, `${few.grown} KiB of 2,500 events, ${many.grown} KiB of 10,000`)
  t.true(many.sent >= 10_000)
})
