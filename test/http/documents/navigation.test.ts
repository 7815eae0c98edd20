import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { type Running, start, tidyingLater } from '../harness.ts'
import { refusalOf } from '../refusals/problems.ts'
import { type Chromium, LAB_HOST, type NoBrowser, openPageFor, startBrowser, watchDialogs } from './browser.ts'
import './fit-answers.ts'

/** What people meet who open an address in a browser: no dialog for a name and a password, and a way back. */

const later = tidyingLater()
let service: Running
let browser: Chromium | NoBrowser

test.before(async (t) => {
  t.timeout(240_000)
  service = await start(later)
  browser = await startBrowser(later, service.url)
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

for (const host of ['127.0.0.1', LAB_HOST]) {
  test(`${host === LAB_HOST ? 'thorough: ' : ''}in Chromium no dialog for a password opens at ${host}, and a page that is not there leads back`, async (t) => {
    const opened = await openPageFor(t, browser, undefined)
    if (opened === undefined) return
    const { page } = opened
    const origin = `http://${host}:${service.port}`
    const asked = await watchDialogs(page)
    t.is((await page.goto(`${origin}/api/sut`))?.status(), 401)
    t.is((await page.goto(`${origin}/guide/none`))?.status(), 404)
    t.is((await page.goto(`${origin}/nowhere`))?.status(), 404)
    await page.getByRole('link', { name: 'Back to Berth' }).click()
    await page.getByLabel('Name').fill('alice')
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('The user name or the password is wrong.').waitFor()
    t.deepEqual(asked, [])
  })
}

test('control: a dialog for a password is noticed', async (t) => {
  const opened = await openPageFor(t, browser, undefined)
  if (opened === undefined) return
  const other = createServer((_, response) =>
    response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="x"' }).end('no'),
  )
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  t.teardown(() => other.close())
  const asked = await watchDialogs(opened.page)
  const url = `http://${LAB_HOST}:${(other.address() as AddressInfo).port}/`
  t.is((await opened.page.goto(url))?.status(), 401)
  t.deepEqual(asked, [url])
})
