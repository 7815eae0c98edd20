import test from 'ava'
import { codes } from '../../../src/http/protocol/problem.ts'
import type { Answer } from '../client.ts'
import { type Running, start, tidyingLater } from '../harness.ts'
import { DOCUMENTED, faultsOf, refusalOf } from '../refusals/problems.ts'
import { aReservation, aSut, createSut, NOW, reserve } from '../requests.ts'
import './fit-answers.ts'

/** Shows behaviour/errors-and-retrying.md: `type` is a relative URI that resolves to a page about the error. */

const later = tidyingLater()
let service: Running
let sut_id: string

test.before(async () => {
  service = await start(later, { now: NOW })
  sut_id = await createSut(service.as('admin'))
  await reserve(service.as('alice'), aReservation(sut_id))
})
test.after.always(later.tidy)

const titleOf = (page: string): string | undefined => /<h1>([^<]+)<\/h1>/.exec(page)?.[1]
const remedyOf = (page: string): string => page.match(/<\/code><\/p>\n<p>(.+)<\/p>/)?.[1] ?? ''

test('the page about each error shows every role its status, title and remedy', async (t) => {
  for (const [code, status] of Object.entries(DOCUMENTED)) {
    for (const name of ['admin', 'alice', 'audrey']) {
      const page = await service.as(name).get(`/problems/${code}`)
      const what = `${code} for ${name}`
      t.deepEqual([page.status, page.headers['content-type']], [200, 'text/html; charset=utf-8'], what)
      t.true(page.text.includes(`<code>${status}</code> <code>${code}</code>`), what)
      t.regex(titleOf(page.text) ?? '', /.{8,}/, what)
      t.regex(remedyOf(page.text), /.{15,}[^.]\.$/, what)
    }
  }
})

test('every error code of the service is in the documented table', (t) => {
  t.deepEqual(
    Object.entries(codes)
      .map(([code, { status }]) => `${status} ${code}`)
      .toSorted(),
    Object.entries(DOCUMENTED)
      .map(([code, status]) => `${status} ${code}`)
      .toSorted(),
  )
})

test('the titles of all problem pages differ', async (t) => {
  const pages = await Promise.all(Object.keys(DOCUMENTED).map((code) => service.as('alice').get(`/problems/${code}`)))
  const titles = pages.map(({ text }) => titleOf(text))
  t.is(new Set(titles).size, titles.length)
})

test('an unknown code has no problem page', async (t) => {
  for (const code of ['none', 'constructor', '__proto__', 'INVALID', 'invalid%2F', '%ff', 'a'.repeat(500)]) {
    const answer = await service.as('alice').get(`/problems/${code}`)
    t.deepEqual(refusalOf(answer), [404, 'not_found'], code)
    t.deepEqual(faultsOf(answer), [])
  }
  t.is((await service.as('alice').get('/problems')).status, 404)
})

test('a problem page and its style need no credentials', async (t) => {
  const { status, text } = await service.anyone.get('/problems/invalid')
  t.is(status, 200)
  const [, style = ''] = /rel="stylesheet" href="([^"]+)"/.exec(text) ?? []
  t.is((await service.anyone.get(style)).status, 200)
})

test('a problem page is served to any client that accepts HTML, and is 406 for JSON only', async (t) => {
  const path = '/problems/stale'
  for (const accept of [
    'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8',
    '*/*',
    'text/*',
    'application/json, text/html',
  ]) {
    t.is((await service.as('alice').get(path, { Accept: accept })).status, 200, accept)
  }
  const json = await service.as('alice').get(path, { Accept: 'application/json' })
  t.deepEqual(refusalOf(json), [406, 'not_acceptable'])
})

const admin = () => service.as('admin')
const SUT = () => `/api/sut/${sut_id}`

/** Requests that provoke an error of most statuses. */
const REFUSALS: Readonly<Record<string, () => Promise<Answer>>> = {
  malformed_json: () => admin().request('POST', '/api/sut/create', { 'Content-Type': 'application/json' }, '{'),
  unauthenticated: () => service.anyone.get('/api/sut'),
  forbidden: () => service.as('audrey').post('/api/sut/create', aSut()),
  not_your_reservation: () => reserve(service.as('bob'), aReservation(sut_id)),
  cross_site: () => admin().post('/api/sut/create', aSut(), { Origin: 'https://elsewhere.example' }),
  not_found: () => admin().get('/api/nothing'),
  sut_not_found: () => admin().get('/api/sut/58c38f5d444553252cce0000'),
  method_not_allowed: () => admin().request('DELETE', SUT()),
  not_acceptable: () => admin().get(SUT(), { Accept: 'image/png' }),
  reservation_conflict: () => reserve(service.as('alice'), aReservation(sut_id)),
  stale: () => admin().post(`${SUT()}/update`, {}, { 'If-Match': '"9"' }),
  body_too_large: () => admin().post(`${SUT()}/update`, { name: 'a'.repeat(300_000) }),
  unsupported_media_type: () => admin().request('POST', `${SUT()}/update`, { 'Content-Type': 'text/plain' }, '{}'),
  invalid: () => admin().post(`${SUT()}/update`, { port: 0 }),
  window_over: () =>
    reserve(
      service.as('alice'),
      aReservation(sut_id, { end_time: '2030-05-02T05:00:00Z', start_time: '2030-05-02T04:00:00Z' }),
    ),
}

test('the type of an error resolves to its page, which has the same title', async (t) => {
  for (const [code, ask] of Object.entries(REFUSALS)) {
    const refused = await ask()
    t.deepEqual(faultsOf(refused), [], code)
    t.is(refused.json.code, code)
    // Relative to the request's address, as in RFC 3986.
    const { pathname } = new URL(String(refused.json.type), `${service.url}/api/sut/x/update`)
    const page = await service.as('alice').get(pathname, { Accept: 'text/html' })
    t.is(page.status, 200, code)
    t.is(titleOf(page.text), String(refused.json.title))
    t.true(page.text.includes(`<code>${refused.status}</code> <code>${code}</code>`), code)
  }
})
