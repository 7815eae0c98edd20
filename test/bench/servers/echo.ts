import { Router } from '@koa/router'
import Koa from 'koa'
import bodyParser from 'koa-bodyparser'

/** The reference: the same stack, which only parses the body and returns it. Prints its address. */
const app = new Koa()
const router = new Router()
router.post('/api/sut_reservation/create', (ctx) => {
  ctx.body = ctx.request.body
})
app.use(bodyParser())
app.use(router.routes())
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(
    `${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as { port: number }).port}` })}\n`,
  )
})
