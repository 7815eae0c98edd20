import test from 'ava'
import { startProtocolServer } from '../protocol/protocol-server.ts'

/**
 * HTTP tests run over EventStoreDB as well: a quick selection. `npm run test:store` runs all.
 */
const FILES = ['routes/suts/suts', 'routes/reservations', 'retries/retries', 'protocol/positions']

const server = await startProtocolServer()
test.after.always(server.close)
// Read when the first file is loaded. Each test file runs in its own thread with its own environment.
process.env.TEST_EVENT_STORE = server.address
for (const file of FILES) await import(`../../../http/${file}.test.ts`)
