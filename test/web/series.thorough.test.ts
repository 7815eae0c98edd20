/** The same time every week, in a real browser. */

import type { Page } from 'playwright-core'
import { idOf, start } from '../http/harness.ts'
import { createSut } from '../http/requests.ts'
import { beforeNext, checkAccessible, hasFocus, rowOf, inChromium as test } from './stage.ts'

const MARKUP = '<img src=x onerror="window.harmed=1">'
const WEEK = 7 * 86_400_000

/** Opens the weekly form on a free machine. */
const openWeekly = async (page: Page, name: string) => {
  await page.getByPlaceholder('Filter machines').fill(name)
  await rowOf(page, name).getByRole('gridcell', { name: /^Free/ }).first().focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: `Reserve ${name}`, exact: true }).waitFor()
  await page.getByRole('button', { name: 'Repeat weekly…' }).click()
  const dialog = page.getByRole('dialog', { name: `Reserve ${name} weekly` })
  await dialog.waitFor()
  return dialog
}

test('in Chromium one reserves the same time every week, sees the dates before, and cancels the rest', async (t, open) => {
  const service = await start(t)
  const sut = await createSut(service.as('admin'), { name: 'rig 1' })
  const { page } = await open(service, 'alice')
  const dialog = await openWeekly(page, 'rig 1')
  await hasFocus(page.getByLabel('Weekly, times'))
  await dialog.getByText('8 dates, all free').waitFor()
  await checkAccessible(t, page)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await dialog.getByText('6 dates, all free').waitFor()
  // Bob takes the third date while the form is open.
  const taken = Date.now() + 2 * WEEK
  const bob = { sut_id: sut, user_id: idOf('bob'), start_time: new Date(taken).toISOString() }
  await service
    .as('bob')
    .post('/api/sut_reservation/create', { ...bob, end_time: new Date(taken + 600_000).toISOString() })
  await dialog.getByText('1 of 6 dates is taken').waitFor()
  await dialog.getByRole('listitem').filter({ hasText: 'bob' }).waitFor()
  t.true(await dialog.getByRole('button', { name: 'Reserve 6 times' }).isDisabled())
  await checkAccessible(t, page)
  await dialog.getByRole('button', { name: 'Only the first 2' }).click()
  await dialog.getByRole('button', { name: 'Reserve 2 times' }).click()
  const own = rowOf(page, 'rig 1').getByRole('gridcell', { name: /^You .*, in use$/ })
  await own.click()
  const block = page.getByRole('dialog', { name: 'Your reservation of rig 1' })
  await block.getByText(/^Every \w+day, 1 more$/).waitFor()
  await checkAccessible(t, page)
  const { json } = await service.as('alice').get('/api/sut_reservation_series')
  t.like(json, { count: 1, sut_reservation_series: [{ rrule: 'FREQ=WEEKLY;COUNT=2', count: 2, sut_id: sut }] })
  await block.getByRole('button', { name: 'Cancel the last' }).click()
  await block.getByText('Cancel the last reservation of rig 1, which has not started?').waitFor()
  await block.getByRole('button', { name: 'Cancel the last' }).click()
  await block.getByText(/^Every \w+day, the last$/).waitFor()
  t.is((await service.as('alice').get(`/api/sut_reservation?sut_id=${sut}&user_id=${idOf('alice')}`)).json.count, 1)
  await service.as('admin').post(`/api/sut/${sut}/update`, { turnaround: 1_800 })
  await page.goto(`/#/machines/${sut}`)
  const week = page.getByRole('grid', { name: 'Next 7 days' })
  const running = week.getByRole('gridcell', { name: /^You .*, in use, one of a series$/ }).first()
  await running.waitFor()
  t.regex(await running.evaluate((block) => getComputedStyle(block).backgroundImage), /^linear-gradient/)
  await week
    .getByRole('gridcell', { name: /^Turnaround until/ })
    .first()
    .waitFor()
  await checkAccessible(t, page)
})

test('in Chromium a series that was taken meanwhile names the dates that are in the way', async (t, open) => {
  const service = await start(t)
  const sut = await createSut(service.as('admin'), { name: 'rig 2' })
  const admin = service.as('admin')
  const made = await admin.post('/api/user/create', { name: MARKUP, role: 'tester', password: 'a password' })
  const { page } = await open(service, 'alice')
  const dialog = await openWeekly(page, 'rig 2')
  await dialog.getByText('8 dates, all free').waitFor()
  await beforeNext(page, '**/api/sut_reservation_series/create', async () => {
    const at = Date.now() + WEEK
    const window = { start_time: new Date(at).toISOString(), end_time: new Date(at + 600_000).toISOString() }
    await admin.post('/api/sut_reservation/create', { sut_id: sut, user_id: made.json._id, ...window })
  })
  await dialog.getByRole('button', { name: 'Reserve 8 times' }).click()
  await page.getByText('Some dates are taken, so nothing was booked.').waitFor()
  await page.getByRole('listitem').filter({ hasText: MARKUP }).waitFor()
  await checkAccessible(t, page)
  t.is(await page.evaluate('window.harmed'), undefined)
})
