/** `/docs` and `/guide` in a real browser, and that no address opens a dialog for a name and a password. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { accountOf, checkAccessible, signIn, inChromium as test } from '../../web/stage.ts'
import { passwordOf } from '../client.ts'
import { start } from '../harness.ts'
import { createSut } from '../requests.ts'
import { catalogue } from '../routes/catalogue.ts'
import { LAB_HOST, watchDialogs } from './browser.ts'

test('in Chromium /docs shows every operation, can execute one, and fetches nothing from elsewhere', async (t, open) => {
  const service = await start(t)
  const id = await createSut(service.as('admin'))
  // Not loopback: requests of the page say nothing of a browser.
  const { page, faults } = await open({ url: `http://${LAB_HOST}:${service.port}` })
  const dialogs = await watchDialogs(page)
  await page.goto('/docs')
  await page
    .locator('.opblock')
    .nth(catalogue.length - 1)
    .waitFor()
  t.is(await page.locator('.opblock').count(), catalogue.length)
  t.is(await page.getByRole('link', { name: 'The guide', exact: true }).getAttribute('href'), '/guide')

  const operation = page.locator('#operations-SUTs-readSut')
  await operation.locator('.opblock-summary-control').click()
  await operation.getByPlaceholder('id', { exact: true }).fill(id)
  const execute = async (status: number) => {
    await operation.getByRole('button', { name: 'Execute' }).click()
    const response = operation.locator('.live-responses-table .response')
    await response.locator('.response-col_status', { hasText: String(status) }).waitFor()
    return response.first().textContent()
  }
  await execute(401)
  await page.locator('.auth-wrapper > .authorize').click()
  const basic = page.locator('.auth-container form', { has: page.locator('input[name=username]') })
  await basic.locator('input[name=username]').fill('alice')
  await basic.locator('input[name=password]').fill(passwordOf('alice'))
  await basic.getByRole('button', { name: 'Apply credentials' }).click()
  await page.locator('.modal-ux .close-modal').click()
  t.true((await execute(200))?.includes(id))
  t.deepEqual(dialogs, [])
  t.regex(faults.join(), /^Failed to load resource: the server responded with a status of 401 [^,]*$/)
})

test('in Chromium /docs tries operations with the session of the page, whose bar it has', async (t, open) => {
  const service = await start(t)
  const opened = await open(service)
  const { page } = opened
  await page.goto('/docs')
  await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).click()
  await signIn(opened, 'alice')
  await accountOf(opened, 'alice').waitFor()
  await page.goto('/docs')
  const operation = page.locator('[id$=-readMe]')
  await operation.locator('.opblock-summary-control').click()
  await operation.getByRole('button', { name: 'Execute' }).click()
  await operation.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor()
})

test('in Chromium the guide is searched with the keyboard, on a phone too, and copies its code', async (t, open) => {
  const service = await start(t)
  const { page } = await open(service)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/guide/errors')
  await checkAccessible(t, page)
  await page.getByRole('combobox', { name: 'Search the guide' }).fill('cancel release')
  await page.getByRole('option', { name: 'Cancel and release Reservations' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/guide/reservations#cancel-and-release')
  await page.getByRole('button', { name: 'Chapters' }).click()
  await page.getByRole('navigation', { name: 'Chapters' }).getByRole('link', { name: 'Proof' }).waitFor()
  t.true((await page.getByRole('button', { name: 'Copy', exact: true }).count()) > 3)
  await checkAccessible(t, page)
  // Where there is room, the search stays in view while one reads.
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto('/guide/people#quotas')
  const scrolled = (): Promise<number> => page.evaluate('scrollY')
  const before = await scrolled()
  await page.getByRole('combobox', { name: 'Search the guide' }).fill('qqqzzz')
  await page.getByRole('status').getByText('No results.').waitFor()
  t.true(before > 0)
  t.is(await scrolled(), before)
  await checkAccessible(t, page)
})

test('in Chromium the guide shows its picture; a violation of its policy and a request elsewhere are detected', async (t, open) => {
  const service = await start(t)
  const { page, faults, requests } = await open(service, undefined, 'complaints')
  await page.goto('/guide')
  t.true((await page.evaluate<number>(`document.querySelector('main img').naturalWidth`)) > 0)
  t.deepEqual(faults, [])
  await page.evaluate(`new Promise((resolve) => {
    document.addEventListener('securitypolicyviolation', () => resolve(true), { once: true })
    document.body.append(Object.assign(document.createElement('iframe'), { src: '/guide' }))
  })`)
  t.regex(faults.join('; '), /Content Security Policy/)
  await page.goto(`http://localhost:${service.port}/health/live`)
  t.true(requests.some(({ origin }) => origin !== service.url))
})

for (const host of ['127.0.0.1', LAB_HOST]) {
  test(`in Chromium no dialog for a password opens at ${host}, and a page that is not there leads back`, async (t, open) => {
    const service = await start(t)
    const { page } = await open({ url: `http://${host}:${service.port}` })
    const asked = await watchDialogs(page)
    t.is((await page.goto('/api/sut'))?.status(), 401)
    t.is((await page.goto('/guide/none'))?.status(), 404)
    t.is((await page.goto('/nowhere'))?.status(), 404)
    await page.getByRole('link', { name: 'Back to Berth' }).click()
    await page.getByLabel('Name').fill('alice')
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('The user name or the password is wrong.').waitFor()
    t.deepEqual(asked, [])
  })
}

test('in Chromium a dialog for a password is noticed', async (t, open) => {
  const challenge = { 'WWW-Authenticate': 'Basic realm="x"' }
  const other = createServer((_, response) => response.writeHead(401, challenge).end('no'))
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  t.teardown(() => other.close())
  const url = `http://${LAB_HOST}:${(other.address() as AddressInfo).port}/`
  const { page } = await open({ url: new URL(url).origin })
  const asked = await watchDialogs(page)
  t.is((await page.goto(url))?.status(), 401)
  t.deepEqual(asked, [url])
})
