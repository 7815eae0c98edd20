import test from 'ava'
import { startBrowser } from '../http/documents/browser.ts'
import { start, temporaryData, tidyingLater } from '../http/harness.ts'
import { aSut } from '../http/requests.ts'
import { checkAccessible, checkQuiet, hasFocusInside, openFor } from './stage.ts'

/** An empty lab, in a real browser. */

const later = tidyingLater()
test.after.always(later.tidy)

test('in Chromium an empty lab leads an administrator to the first machine, person and reservation', async (t) => {
  t.timeout(240_000)
  const service = await start(later, { data: await temporaryData(later) })
  const browser = await startBrowser(later, service.url)
  const [admin, alice] = [await openFor(t, browser, 'admin'), await openFor(t, browser, 'alice')]
  if (admin === undefined || alice === undefined) return
  const { page } = admin
  await alice.page.getByRole('heading', { name: 'No machines yet' }).waitFor()
  await page.getByRole('heading', { name: 'Set up your lab' }).waitFor()
  t.true(await page.getByRole('button', { name: 'Reserve', exact: true }).isDisabled())
  await checkAccessible(t, page)
  await page.goto('/#/book')
  await page.getByRole('link', { name: 'Open Machines' }).click()
  await page.getByRole('button', { name: 'Import a CSV file' }).waitFor()
  await alice.page.goto('/#/book')
  await alice.page.getByText('An administrator can add them.').waitFor()
  await alice.page.goto('/#/schedule')
  await page.goto('/#/schedule')
  await page.getByRole('button', { name: 'Add a machine' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a machine' })
  await hasFocusInside(dialog)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await service.as('admin').post('/api/sut/create', aSut({ name: 'bench 1' }))
  await page.getByRole('heading', { name: /^Add a machine ?, done/ }).waitFor()
  await page.getByRole('heading', { name: /^Add a person ?, done/ }).waitFor()
  await page.getByRole('button', { name: 'Reserve', exact: true }).click()
  await page.getByRole('dialog', { name: 'Reserve bench 1' }).waitFor()
  await alice.page.getByRole('row').filter({ hasText: 'bench 1' }).first().waitFor()
  checkQuiet(t, admin, service.url)
})
