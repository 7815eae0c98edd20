import test from 'ava'
import { startProtocolServer } from '../protocol/protocol-server.ts'
import { serverConformance } from './conformance.ts'

const server = await startProtocolServer()
test.after.always(server.close)

serverConformance('the protocol server', () => server.address)

const given = process.env.TEST_EVENT_STORE
if (given !== undefined && given !== '') serverConformance('the server given', () => given)
