import type { AddressInfo } from 'node:net'
import Koa from 'koa'

/** A minimal Koa server with a fixed response. Prints its address. */
const app = new Koa()
app.use((ctx) => {
  ctx.body = { hello: 'world' }
})
const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`)
})
