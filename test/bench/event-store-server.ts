import { startProtocolServer } from '../eventstoredb/protocol-server.ts'

/** The protocol server of the tests in a process of its own, where no address of a real one is given. */
const server = await startProtocolServer()
process.stdout.write(`${JSON.stringify({ url: server.address })}\n`)
