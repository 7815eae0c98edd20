import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { type Running, start, tidyingLater } from '../harness.ts'
import { type Chromium, LAB_HOST, type NoBrowser, openPageFor, startBrowser, watchDialogs } from './browser.ts'

/** What people meet who open an address in a browser: no dialog for a name and a password. */

const later = tidyingLater()
let service: Running
let browser: Chromium | NoBrowser

test.before(async (t) => {
  t.timeout(240_000)
  service = await start(later)
  browser = await startBrowser(later, service.url)
})
test.after.always(later.tidy)

for (const host of ['127.0.0.1', LAB_HOST]) {
  test(`in Chromium no dialog for a password opens at ${host}, and a page that is not there leads back`, async (t) => {
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
