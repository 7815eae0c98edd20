import test from 'ava'
import { type Running, start, tidyingLater } from '../harness.ts'
import { refusalOf } from '../refusals/problems.ts'
import './fit-answers.ts'

/** What people meet who open an address in a browser: a way back. */

const later = tidyingLater()
let service: Running

test.before(async () => {
  service = await start(later)
})
test.after.always(later.tidy)

test('/guide/ and /docs/ are answered like /guide and /docs', async (t) => {
  for (const path of ['/guide', '/docs']) {
    const [page, same] = [await service.anyone.get(path), await service.anyone.get(`${path}/`)]
    t.deepEqual([same.status, same.headers.etag, same.text], [200, page.headers.etag, page.text])
  }
})

const NAVIGATIONS = [{ 'Sec-Fetch-Mode': 'navigate' }, { 'Upgrade-Insecure-Requests': '1' }]

test('a navigation to an unknown address gets one constant 404 page, signed in or not', async (t) => {
  const seen = new Set<string>()
  for (const headers of NAVIGATIONS) {
    for (const path of ['/nowhere', '/api/none?<b>=1', '/web/', '/guide/none', '/problems/none', '/schemas/none']) {
      for (const client of [service.anyone, service.as('alice')]) {
        for (const method of ['GET', 'POST']) {
          const answer = await client.request(method, path, headers)
          t.is(answer.status, method === 'POST' && /^\/(guide|problems|schemas)/.test(path) ? answer.status : 404, path)
          if (answer.status === 404) seen.add([answer.headers['content-type'], answer.text].join('\n'))
        }
      }
    }
  }
  t.is(seen.size, 1)
  t.regex([...seen].join(), /^text\/html; charset=utf-8\n<!doctype html>[\s\S]*href="\/"/)
})

test('no other request without credentials learns whether an address exists', async (t) => {
  for (const headers of [{}, { 'Sec-Fetch-Mode': 'cors' }, { 'Sec-Fetch-Mode': 'no-cors' }]) {
    for (const path of ['/nowhere', '/api/sut'])
      t.deepEqual(refusalOf(await service.anyone.get(path, headers)), [401, 'unauthenticated'])
  }
  t.deepEqual(refusalOf(await service.anyone.get('/api/sut', NAVIGATIONS[0])), [401, 'unauthenticated'])
  t.deepEqual(refusalOf(await service.as('alice').get('/nowhere', { 'Sec-Fetch-Mode': 'cors' })), [404, 'not_found'])
})
