import type { IncomingMessage } from 'node:http'
import test from 'ava'
import { isCrossSite } from '../../../src/http/authentication/cross-site.ts'
import { start } from '../harness.ts'
import { faultsOf, refusalOf } from '../refusals/problems.ts'
import { aSut } from '../requests.ts'

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

for (const [origin, host] of own) {
  test(`a page of ${origin} may post to ${host}`, (t) => t.false(isRefused({ origin, host })))
}

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

for (const [origin, host] of foreign) {
  test(`a page of "${origin}" may not post to "${host}"`, (t) => t.true(isRefused({ origin, host })))
}

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
  const service = await start(t)
  const foreign = { Origin: 'https://evil.example' }
  const post = (name: string, path: string, body: unknown = {}, headers: Headers = foreign) =>
    service.as(name).post(path, body, headers)
  const refused = await post('admin', '/api/sut/create', 'no object')
  t.deepEqual(refusalOf(refused), [403, 'cross_site'])
  t.deepEqual(faultsOf(refused), [])
  t.deepEqual(refusalOf(await service.anyone.post('/api/sut/create', {}, foreign)), [401, 'unauthenticated'])
  t.deepEqual(refusalOf(await post('admin', '/api/none')), [404, 'not_found'])
  t.deepEqual(refusalOf(await post('alice', '/api/sut/create')), [403, 'forbidden'])
  t.is((await post('admin', '/api/sut/create', aSut(), { Origin: service.url })).status, 201)
  t.is((await service.as('admin').get('/api/user/me', foreign)).status, 200)
})

test('over HTTP every cross-site POST is refused, and same-origin POSTs are accepted', async (t) => {
  const service = await start(t)
  const host = service.url.replace('http://', '')
  const create = (headers: Headers) => service.as('admin').post('/api/sut/create', aSut(), headers)
  for (const headers of [
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { Origin: `http://${host}`, 'Sec-Fetch-Site': 'same-site' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
  ]) {
    const refused = await create(headers)
    t.deepEqual(refusalOf(refused), [403, 'cross_site'], JSON.stringify(headers))
    t.deepEqual(faultsOf(refused), [])
  }
  const sites: readonly Headers[] = [{}, { 'Sec-Fetch-Site': 'same-origin' }, { 'Sec-Fetch-Site': 'none' }]
  for (const site of sites) t.is((await create({ Origin: `http://${host}`, ...site })).status, 201)
  const id = '58c38f5d444553252cce0000'
  for (const path of [
    '/api/sut_reservation/create',
    `/api/sut_reservation/${id}/cancel`,
    `/api/sut_reservation/${id}/extend`,
    `/api/sut_reservation/${id}/update`,
    `/api/sut/${id}/update`,
    `/api/sut/${id}/tags`,
    `/api/sut/${id}/retire`,
  ]) {
    const refused = await service.as('admin').post(path, {}, { 'Sec-Fetch-Site': 'cross-site' })
    t.deepEqual(refusalOf(refused), [403, 'cross_site'], path)
  }
})
