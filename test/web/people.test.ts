import test from 'ava'
import { type Chromium, type NoBrowser, startBrowser } from '../http/documents/browser.ts'
import { type Running, start, tidyingLater } from '../http/harness.ts'
import { checkAccessible, checkQuiet, openFor } from './stage.ts'

/** Who uses the lab, in a real browser. */

const later = tidyingLater()
let service: Running
let browser: Chromium | NoBrowser

test.before(async (t) => {
  t.timeout(120_000)
  service = await start(later)
  browser = await startBrowser(later, service.url)
})
test.after.always(later.tidy)

test('in Chromium an administrator sees the people with their roles, quotas and scopes', async (t) => {
  const admin = service.as('admin')
  await admin.post('/api/user/create', {
    name: 'Łukasz Wójcik',
    role: 'tester',
    quota: { hours_per_week: 40 },
    scope: 'rack=3',
  })
  const opened = await openFor(t, browser, 'admin')
  if (opened === undefined) return
  const { page } = opened
  await page.getByRole('navigation', { name: 'Main', exact: true }).getByRole('link', { name: 'People' }).click()
  const row = page.getByRole('row', { name: 'Łukasz Wójcik' })
  await row.getByText('0 of 40 h').waitFor()
  await row.getByText('rack=3').waitFor()
  await checkAccessible(t, page)
  checkQuiet(t, opened, service.url)
})
