import type { IncomingMessage } from 'node:http'
import test from 'ava'
import { isCrossSite } from '../../../src/http/authentication/cross-site.ts'
import { asks, lab, said } from '../lab.ts'
import { aSut } from '../requests.ts'
import { catalogue } from '../routes/catalogue.ts'

type Headers = Readonly<Record<string, string>>

const isRefused = (headers: Headers, { method = 'POST', encrypted = false } = {}): boolean =>
  isCrossSite({ method, headers, socket: encrypted ? { encrypted } : {} } as unknown as IncomingMessage)

const own: readonly (readonly [origin: string, host: string])[] = [
  ['http://lab.example', 'lab.example'],
  ['http://LAB.example', 'lab.EXAMPLE'],
  ['http://lab.example:8080', 'lab.example:8080'],
  ['http://lab.example', 'lab.example:80'],
  ['http://lab.example:80', 'lab.example'],
  ['https://lab.example', 'lab.example'],
  ['https://lab.example', 'lab.example:443'],
  ['https://lab.example:8443', 'lab.example:8443'],
  ['http://[2001:db8::1]:8080', '[2001:DB8::1]:8080'],
  ['http://127.0.0.1:8080', '127.0.0.1:8080'],
]

test('a page of the service itself may post to it', (t) => {
  for (const [origin, host] of own) t.false(isRefused({ origin, host }), `${origin} to ${host}`)
})

const foreign: readonly (readonly [origin: string, host: string])[] = [
  ['null', 'lab.example'],
  ['', 'lab.example'],
  ['http://evil.example', 'lab.example'],
  ['http://lab.example.evil.example', 'lab.example'],
  ['http://evil.example/lab.example', 'lab.example'],
  ['http://lab.example@evil.example', 'lab.example'],
  ['http://other.lab.example', 'lab.example'],
  ['http://lab.example:8081', 'lab.example:8080'],
  ['http://lab.example', 'lab.example:8080'],
  ['http://lab.example:8080', 'lab.example'],
  ['http://lab.example', 'lab.example:443'],
  ['https://lab.example', 'lab.example:80'],
  ['https://localhost', '127.0.0.1'],
  ['http://lab.example, http://lab.example', 'lab.example'],
  ['http://lab.example http://lab.example', 'lab.example'],
  ['http://lab.example/', 'lab.example'],
  ['chrome-extension://lab.example', 'lab.example'],
  ['lab.example', 'lab.example'],
  ['http://', ''],
  ['http://lab.example', ''],
  ['http://lab.example:', 'lab.example'],
]

test('a page of another origin may not post to it', (t) => {
  for (const [origin, host] of foreign) t.true(isRefused({ origin, host }), `${origin} to ${host}`)
})

test('an http page may not post over TLS', (t) => {
  const page = { origin: 'http://lab.example', host: 'lab.example' }
  t.true(isRefused(page, { encrypted: true }))
  t.false(isRefused({ ...page, origin: 'https://lab.example' }, { encrypted: true }))
  t.false(isRefused(page), 'a proxy may have terminated TLS')
})

test('Sec-Fetch-Site takes precedence over Origin', (t) => {
  const page = { origin: 'http://lab.example', host: 'lab.example' }
  for (const site of ['cross-site', 'same-site', 'Cross-Site']) t.true(isRefused({ ...page, 'sec-fetch-site': site }))
  for (const site of ['same-origin', 'none']) t.false(isRefused({ ...page, 'sec-fetch-site': site }))
  t.true(isRefused({ origin: 'null', host: 'lab.example', 'sec-fetch-site': 'none' }))
})

test('reads, and programs that send neither header, are not checked', (t) => {
  t.false(isRefused({ host: 'lab.example' }))
  for (const method of ['GET', 'HEAD', 'OPTIONS']) {
    t.false(isRefused({ origin: 'null', host: 'lab.example', 'sec-fetch-site': 'cross-site' }, { method }))
  }
})

test('a cross-site POST is refused before its body is read, and after authentication, routing and roles', async (t) => {
  const service = await lab(t)
  const foreign = { Origin: 'https://evil.example' }
  const create = 'POST /api/sut/create'
  await asks(t, service, [
    ['admin', create, '403 cross_site', 'no object', foreign],
    ['admin', 'POST /api/none', '404 not_found', {}, foreign],
    ['alice', create, '403 forbidden', {}, foreign],
    ['admin', 'GET /api/user/me', '200', undefined, foreign],
  ])
  t.is(said(await service.anyone.post('/api/sut/create', {}, foreign)), '401 unauthenticated')
})

test('over HTTP every cross-site POST is refused, and same-origin POSTs are accepted', async (t) => {
  const service = await lab(t)
  const Origin = service.url
  const refused: readonly Headers[] = [
    ...[{ Origin: 'https://evil.example' }, { Origin: 'null' }, { Origin, 'Sec-Fetch-Site': 'same-site' }],
    ...[{ 'Sec-Fetch-Site': 'cross-site' }, { 'Sec-Fetch-Site': 'same-site' }],
  ]
  const accepted: readonly Headers[] = ['same-origin', 'none'].map((site) => ({ Origin, 'Sec-Fetch-Site': site }))
  const create = (answer: string) => (headers: Headers) =>
    ['admin', 'POST /api/sut/create', answer, aSut(), headers] as const
  await asks(t, service, [...refused.map(create('403 cross_site')), ...[{ Origin }, ...accepted].map(create('201'))])
  const posts = catalogue.filter(({ method }) => method === 'POST')
  for (const { path } of posts) {
    const answer = await service.ask('admin', `POST ${path}`, {}, { 'Sec-Fetch-Site': 'cross-site' })
    t.is(said(answer), '403 cross_site', path)
  }
})
