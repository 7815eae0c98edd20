import test from 'ava'
import Koa from 'koa'
import type { State } from '../../../src/http/protocol/context.ts'
import type { Route } from '../../../src/http/protocol/route.ts'
import { makeRouter } from '../../../src/http/protocol/router.ts'
import { connectTo } from '../client.ts'

const route = (line: string, alias?: string): Route => {
  const [method, path = ''] = line.split(' ')
  const words = { id: line, summary: 'A route', answer: {} } as const
  const handler = async () => Promise.reject(new Error('called'))
  return { ...words, method: method === 'POST' ? 'POST' : 'GET', path, ...(alias && { alias }), roles: [], handler }
}

/** Each answers with itself and its parameters. */
const router = makeRouter(
  [
    ...['POST /a/create', 'GET /a/:id', 'POST /a/:id', 'GET /a/:id/b/:name', 'GET /s/', 'GET /s/:file'].map((line) =>
      route(line),
    ),
    route('GET /pages', '/pages/'),
  ],
  ({ id }) => [
    (ctx) => {
      ctx.body = { id, ...ctx.params }
    },
  ],
)

const MATCHES: readonly (readonly [request: string, expected: object | undefined])[] = [
  ['GET /a/1', { id: '1' }],
  ['HEAD /a/1', {}],
  ['PUT /a/1', undefined],
  ['GET /a/%C3%A4%2F', { id: 'ä/' }],
  ['GET /a/%25', { id: '%' }],
  ['GET /a/%', { id: '%' }],
  ['POST /a/create', { id: 'POST /a/create' }],
  ['GET /a/create', undefined],
  ['GET /a/create/b/c', { id: 'create', name: 'c' }],
  ['GET /s/', { id: 'GET /s/' }],
  ['GET /s/x', { id: 'GET /s/:file', file: 'x' }],
  ['GET /pages/', { id: 'GET /pages' }],
  ['GET /Pages', undefined],
  ['GET /a/1/', undefined],
  ['GET /a/', undefined],
]

test('a request has the route of its path and method with decoded parameters, or none', async (t) => {
  const server = new Koa<State>().use(router).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const connections = connectTo((server.address() as { readonly port: number }).port)
  t.teardown(() => {
    connections.close()
    server.close()
  })
  for (const [request, expected] of MATCHES) {
    const [method = '', path = ''] = request.split(' ')
    const answer = await connections.client({}).request(method, path, {})
    t.is(answer.status, expected === undefined ? 404 : 200, request)
    if (expected !== undefined && method !== 'HEAD') t.like(answer.json, expected, request)
  }
})
