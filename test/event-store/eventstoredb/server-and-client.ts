import type { Tidying } from '../../http/harness.ts'
import { type ProtocolServerOptions, startProtocolServer } from './protocol/protocol-server.ts'

/** A protocol server, closed after the test. */
export const aServer = async (t: Tidying, options: ProtocolServerOptions = {}) => {
  const server = await startProtocolServer(options)
  t.teardown(server.close)
  return server
}
