import { startProtocolServer } from '../../event-store/eventstoredb/protocol/protocol-server.ts'

/** The tests' protocol server in its own process, if no address of a real server is given. */
const options = process.argv.includes('--cuts-off') ? { version: '23.10.8' } : {}
const server = await startProtocolServer(options)
process.stdout.write(`${JSON.stringify({ url: server.address })}\n`)
