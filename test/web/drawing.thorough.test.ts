import type { Page } from 'playwright-core'
import { HOURS_BEFORE } from '../../src/web/features/schedule/span.ts'
import { start } from '../http/harness.ts'
import { createSut } from '../http/requests.ts'
import { hasFocus, hasFocusInside, rowOf, inChromium as test } from './stage.ts'

/** Reserving on the timeline by drag and by keys, and without a connection, in a real browser. */

/** Pixels of an hour of a day. */
const HOUR_WIDTH = 96

/** Drags along a row, on a day that lies ahead: from one hour of it to another. */
const dragBetween = async (page: Page, name: string, from: number, to: number, isDropped = true): Promise<void> => {
  const lane = await rowOf(page, name).locator('.tl-lane').boundingBox()
  const at = (hours: number): number => (lane?.x ?? 0) + (hours + HOURS_BEFORE) * HOUR_WIDTH
  const y = (lane?.y ?? 0) + (lane?.height ?? 0) / 2
  await page.mouse.move(at(from), y)
  await page.mouse.down()
  await page.mouse.move(at((from + to) / 2), y)
  await page.mouse.move(at(to), y)
  if (isDropped) await page.mouse.up()
}

test('in Chromium one draws a reservation on the timeline, by drag or by keys, and draws it longer and shorter', async (t, open) => {
  const service = await start(t)
  await createSut(service.as('admin'), { name: 'bench 5' })
  const { page } = await open(service, 'alice')
  await page.getByPlaceholder('Filter machines').fill('bench 5')
  const row = rowOf(page, 'bench 5')
  const [own, free] = [row.getByRole('gridcell', { name: /^You/ }), row.getByRole('gridcell', { name: /^Free/ })]
  await page.getByRole('button', { name: /^Day after/ }).click()
  await page.getByRole('button', { name: /^Day after/ }).click()
  const form = page.getByRole('dialog', { name: 'Reserve bench 5' })
  await dragBetween(page, 'bench 5', 9.1, 10.4, false)
  await row.getByText('1 h 30 m', { exact: true }).waitFor()
  t.is(await form.count(), 0, 'the form opens at the end of the drag')
  await page.keyboard.press('Escape')
  await row.getByText('1 h 30 m', { exact: true }).waitFor({ state: 'detached' })
  await page.mouse.up()
  await dragBetween(page, 'bench 5', 9.1, 10.4)
  await form.getByText('09:00 – 10:30').waitFor()
  await dragBetween(page, 'bench 5', 10.5, 11.1)
  await form.getByText('09:00 – 11:00').waitFor()
  await page.getByRole('button', { name: /^Reserve until \w{3} 11:00$/ }).click()
  await own.getByText('09:00–11:00').waitFor()
  await dragBetween(page, 'bench 5', 10.96, 12.2)
  await page.getByRole('button', { name: /^Extend to \w{3} 12:15, 1 h 15 m longer$/ }).click()
  await own.getByText('09:00–12:15').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await free.last().focus()
  await page.keyboard.press('Shift+ArrowRight')
  await page.getByRole('status').getByText('12:15 to 13:30, free').waitFor()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await form.getByText('12:30 – 13:45').waitFor()
  await hasFocusInside(form)
  await page.keyboard.press('Enter')
  await row.getByRole('gridcell', { name: 'You 12:30–13:45' }).waitFor()
  await form.waitFor({ state: 'detached' })
  await own.last().focus()
  await page.keyboard.press('Shift+ArrowRight')
  await page
    .getByRole('status')
    .getByText(/^Until \w{3} 14:00, 15 m longer$/)
    .waitFor()
  await page.keyboard.press('Enter')
  await hasFocus(page.getByRole('button', { name: /^Extend to \w{3} 14:00, 15 m longer$/ }))
  await page.keyboard.press('Enter')
  await own.getByText('12:30–14:00').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await own.last().focus()
  await page.keyboard.press('Shift+ArrowLeft')
  await page.keyboard.press('Shift+ArrowLeft')
  await page
    .getByRole('status')
    .getByText(/^Until \w{3} 13:30, 30 m shorter$/)
    .waitFor()
  await page.keyboard.press('Enter')
  await hasFocus(page.getByRole('button', { name: /^Shorten to \w{3} 13:30, 30 m shorter$/ }))
  await page.keyboard.press('Enter')
  await row.getByRole('gridcell', { name: 'You 12:30–13:30' }).waitFor()
  await page.getByRole('button', { name: 'Shorten', exact: true }).click()
  await page.getByRole('menuitem', { name: /^Until \w{3} 13:15$/ }).click()
  await page.getByText(/^Shorten to .*13:15\? The rest becomes free right away\.$/).waitFor()
  await hasFocus(page.getByRole('button', { name: 'Shorten', exact: true }))
  await page.keyboard.press('Enter')
  await row.getByRole('gridcell', { name: 'You 12:30–13:15' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await dragBetween(page, 'bench 5', 12.21, 11.4)
  await page.getByRole('button', { name: /^Shorten to \w{3} 11:30, 45 m shorter$/ }).waitFor()
  await dragBetween(page, 'bench 5', 11.5, 11.1)
  const past = JSON.stringify({ end_time: '2020-01-01T00:00:00Z' })
  await page.route('**/shorten', (route) => route.continue({ postData: past }), { times: 1 })
  await page.getByRole('button', { name: /^Shorten to \w{3} 11:00, 1 h 15 m shorter$/ }).click()
  await page.getByText('The end must be later than now; cancel to end it at once.').waitFor()
  await page.getByRole('button', { name: /^Shorten to \w{3} 11:00, 1 h 15 m shorter$/ }).click()
  await own.getByText('09:00–11:00').waitFor()
})

test('in Chromium a cut connection is said, forbids reserving, and heals without a reload', async (t, open) => {
  const service = await start(t)
  await createSut(service.as('admin'), { name: 'bench 4' })
  const { page } = await open(service, 'alice')
  await rowOf(page, 'bench 4').waitFor()
  await page.context().setOffline(true)
  await page.getByText('Not connected since').waitFor()
  await rowOf(page, 'bench 4').getByRole('gridcell', { name: /^Free/ }).first().click()
  await page.getByRole('button', { name: /^Reserve until/, disabled: true }).waitFor()
  await page.context().setOffline(false)
  await page.getByText('Not connected since').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: /^Reserve until/, disabled: false }).waitFor()
  t.pass()
})
