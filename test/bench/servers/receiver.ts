/** A receiver of webhooks that takes everything. Sends its port. */

import { createServer } from 'node:http'

const server = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(204).end())
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as { port: number }).port))
