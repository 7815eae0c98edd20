import test from 'ava'
import { startProtocolServer } from '../protocol/protocol-server.ts'

/**
 * The files that are run over the embedded store, over this one: those for which the short form has time. `npm run
 * test:store` runs all there are.
 */
const FILES = ['routes/suts/suts', 'routes/reservations', 'retries/idempotency', 'protocol/positions']

const server = await startProtocolServer()
test.after.always(server.close)
// Read when the first of them is loaded: a test runs in a thread of its own, with an environment of its own.
process.env.TEST_EVENT_STORE = server.address
for (const file of FILES) await import(`../../../http/${file}.test.ts`)
