import test from 'ava'
import { basic, connectTo } from '../http/client.ts'
import { sharedBrowser } from '../http/documents/shared-browser.ts'
import { aSut } from '../http/requests.ts'
import { until } from '../http/until.ts'
import { checkAccessible, checkQuiet, hasFocus, openFor } from './stage.ts'

/** Milliseconds for what should happen at once, on a busy machine. */
const SOON = 30_000

/** Who uses the lab, in a real browser. */

const { service, browser } = sharedBrowser()

test('in Chromium an administrator adds somebody, sets a quota, makes a token, removes and restores', async (t) => {
  const connections = connectTo(service.port)
  t.teardown(connections.close)
  const admin = service.as('admin')
  const opened = await openFor(t, browser, 'admin')
  if (opened === undefined) return
  const { page } = opened
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await page.getByRole('navigation', { name: 'Main', exact: true }).getByRole('link', { name: 'People' }).click()

  await button('Add a person').click()
  const dialog = page.getByRole('dialog', { name: 'Add a person' })
  await dialog.getByLabel('Name').fill('Łukasz Wójcik')
  await dialog.getByLabel('Scope').fill('rack')
  await dialog.getByLabel('Scope').press('Enter')
  await dialog.getByText(/^It must be like site=berlin/).waitFor()
  await dialog.getByLabel('Scope').fill('rack=3')
  await dialog.getByLabel('Scope').press('Enter')
  await dialog.getByText('It is shown only once.').waitFor()
  const password = String(await dialog.locator('.secret').textContent())
  await button('Done').click()
  const own = connections.client({ Authorization: basic('Łukasz Wójcik', password) })
  t.is((await own.get('/api/user/me')).json.scope, 'rack=3')

  const row = page.getByRole('row', { name: 'Łukasz Wójcik' })
  await row.getByText('rack=3').waitFor()
  await row.getByRole('link').press('Enter')
  const drawer = page.getByRole('complementary', { name: 'Łukasz Wójcik' })
  await drawer.getByLabel('hours a week').fill('20')
  await drawer.getByLabel('Scope').fill('')
  await drawer.getByRole('button', { name: 'Save' }).click()
  await row.getByText('0 of 20 h').waitFor()
  await row.getByText('all machines').waitFor()
  await drawer.getByRole('button', { name: 'New token' }).click()
  await page.getByLabel('What it is for').fill('nightly')
  await button('Make token').click()
  const token = String(await drawer.locator('.secret').textContent())
  t.is((await connections.client({ Authorization: `Bearer ${token}` }).get('/api/user/me')).json.name, 'Łukasz Wójcik')
  await checkAccessible(t, page)
  await button('Revoke nightly').click()
  await button('Revoke').click()
  await drawer.getByText('None').waitFor()
  await hasFocus(button('New token'))

  const sut = String((await admin.post('/api/sut/create', aSut({ name: 'desk 1' }))).json._id)
  await own.post('/api/sut_reservation/create', { sut_id: sut, start_in: 7_200, duration: 1_800 })
  await row.getByText('0.5 of 20 h').waitFor()
  await button('Remove Łukasz…').click()
  await drawer.getByText('Remove Łukasz Wójcik? 1 reservation is not over.').waitFor()
  await button('Cancel them').click()
  await row.waitFor({ state: 'detached' })
  await hasFocus(drawer.getByRole('heading', { name: 'Łukasz Wójcik' }))
  t.is((await admin.get('/api/sut_reservation')).json.count, 0)
  await button('Restore').click()
  await row.getByText('0 of 20 h').waitFor()
  await hasFocus(drawer.getByRole('heading', { name: 'Łukasz Wójcik' }))
  await drawer.getByLabel('Name').press('Escape')
  await drawer.waitFor({ state: 'detached' })
  const isBack = () => row.getByRole('link').evaluate((link) => link.matches(':focus'))
  await until('the focus is on the person again', isBack, SOON)

  await button('Import').click()
  const file = (text: string) => ({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
  const input = page.getByLabel('CSV file')
  await input.setInputFiles(file('name,role,quota\nErin,tester,hours_per_week=400\nErin,auditor,\n'))
  await page.getByText(/^Line 2, quota\/hours_per_week: /).waitFor()
  await input.setInputFiles(file('name,role,quota\nErin,tester,hours_per_week=40\nFrank,auditor,\n'))
  await button('Add 2 people').click()
  await page.getByText('2 people added.').waitFor()
  const erins = String(await page.getByRole('region', { name: 'Passwords' }).locator('.secret').first().textContent())
  await checkAccessible(t, page)
  await button('Done').click()
  await page.getByRole('row', { name: 'Erin' }).getByText('0 of 40 h').waitFor()
  t.is((await connections.client({ Authorization: basic('Erin', erins) }).get('/api/user/me')).status, 200)
  checkQuiet(t, opened, service.url)
})
