import { startProtocolServer } from '../event-store/eventstoredb/protocol/protocol-server.ts'

/** The protocol server of the tests in a process of its own, where no address of a real one is given. */
const options = process.argv.includes('--cuts-off') ? { version: '23.10.8' } : {}
const server = await startProtocolServer(options)
process.stdout.write(`${JSON.stringify({ url: server.address })}\n`)
