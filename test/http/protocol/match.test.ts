import type { IncomingMessage } from 'node:http'
import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import type { Route, UpgradedConnection } from '../../../src/http/protocol/route.ts'
import { isForAnyone, makeMatch, methodsOf } from '../../../src/http/protocol/router.ts'
import { makeUpgrades } from '../../../src/http/server/upgrades.ts'

const handle = (): never => {
  throw new Error('the router called a handler')
}
const words = { id: 'a', tag: 'Service', summary: 'A route', answer: {} } as const
const get = (route: Pick<Route, 'path' | 'alias' | 'roles' | 'upgrade'>): Route => ({
  ...{ method: 'GET', handle, ...words },
  ...route,
})
const post = (route: Pick<Route, 'path' | 'roles'>): Route => ({
  ...{ method: 'POST', body: () => E.right(undefined), handle, ...words },
  ...route,
})
const taken: UpgradedConnection[] = []
const upgrade = {
  accepts: ({ headers }: IncomingMessage) => headers.upgrade === 'x',
  take: (connection: UpgradedConnection) => void taken.push(connection),
}
const match = makeMatch([
  post({ path: '/a/create', roles: [] }),
  get({ path: '/a/:id', roles: [] }),
  post({ path: '/a/:id', roles: [] }),
  get({ path: '/a/:id/b/:name', roles: 'anyone' }),
  get({ path: '/docs', alias: '/docs/', roles: 'anyone' }),
  post({ path: '/login', roles: 'anyone' }),
  get({ path: '/live/:ticket', roles: 'anyone', upgrade }),
])

const MATCHES: readonly (readonly [string, string, string | undefined, Readonly<Record<string, string>>, string])[] = [
  ['GET', '/a/1', 'GET /a/:id', { id: '1' }, 'GET, HEAD, OPTIONS, POST'],
  ['HEAD', '/a/1', 'GET /a/:id', { id: '1' }, 'GET, HEAD, OPTIONS, POST'],
  ['PUT', '/a/1', undefined, {}, 'GET, HEAD, OPTIONS, POST'],
  ['GET', '/a/%C3%A4%2F', 'GET /a/:id', { id: 'ä/' }, 'GET, HEAD, OPTIONS, POST'],
  ['GET', '/a/%', 'GET /a/:id', { id: '%' }, 'GET, HEAD, OPTIONS, POST'],
  ['POST', '/a/create', 'POST /a/create', {}, 'OPTIONS, POST'],
  ['GET', '/a/create', undefined, {}, 'OPTIONS, POST'],
  ['GET', '/a/create/b/c', 'GET /a/:id/b/:name', { id: 'create', name: 'c' }, 'GET, HEAD, OPTIONS'],
  ['GET', '/docs/', 'GET /docs', {}, 'GET, HEAD, OPTIONS'],
  ['GET', '/Docs', undefined, {}, 'OPTIONS'],
  ['GET', '/a/1/', undefined, {}, 'OPTIONS'],
  ['GET', '/a/', undefined, {}, 'OPTIONS'],
]

for (const [method, path, expected, params, methods] of MATCHES) {
  test(`${method} ${path} matches ${expected ?? 'no route'}`, (t) => {
    const found = match(method, path)
    t.is(found.route && `${found.route.method} ${found.route.path}`, expected)
    t.deepEqual(found.params, params)
    t.is(methodsOf(found).join(', '), methods)
  })
}

test('what anyone may GET, anyone may ask for by HEAD and OPTIONS too, and nothing else', (t) => {
  const isOpen = (method: string, path: string) => isForAnyone(match(method, path), method)
  t.deepEqual(
    ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT'].map((method) => isOpen(method, '/a/1/b/2')),
    [true, true, true, false, false],
  )
  t.deepEqual(
    ['POST', 'OPTIONS', 'GET'].map((method) => isOpen(method, '/login')),
    [true, false, false],
  )
  t.false(isOpen('OPTIONS', '/a/1') || isOpen('GET', '/nothing'))
})

test('a connection leaves HTTP only at a route that upgrades, with the parameters of its match', (t) => {
  const upgrades = makeUpgrades(match)
  const request = (url: string, asked = 'x') => ({ method: 'GET', url, headers: { upgrade: asked } }) as IncomingMessage
  const tries = [
    request('/live/1'),
    request('/live/1', 'y'),
    request('/live/1?a'),
    request('/live/1#a'),
    request('/a/1'),
  ]
  t.deepEqual(tries.map(upgrades.accepts), [true, false, false, false, false])
  upgrades.take(request('/live/1'), {} as UpgradedConnection['socket'], Buffer.alloc(0), () => false)
  t.deepEqual(
    taken.map(({ route, params }) => [route, params]),
    [['/live/:ticket', { ticket: '1' }]],
  )
})
