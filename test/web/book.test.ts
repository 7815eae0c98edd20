/** Reserving any machine, in a real browser. */

import { start } from '../http/harness.ts'
import { createSut } from '../http/requests.ts'
import { beforeNext, checkAccessible, enter, hasFocus, pressFree, says, inChromium as test } from './stage.ts'

test('in Chromium a machine is named before it is taken, and the next one when somebody was faster', async (t, open) => {
  const service = await start(t)
  const ids = new Map<string, string>()
  for (const [name, os, rack] of [
    ['bench 1', 'Ubuntu', '1'],
    ['bench 2', 'ubuntu', '2'],
    ['bench 3', 'Windows', '2'],
  ] as const)
    ids.set(name, await createSut(service.as('admin'), { name, os, tags: { rack } }))
  const { page } = await open(service, 'alice')
  await page.getByRole('link', { name: 'Reserve', exact: true }).first().click()
  await page.getByRole('group', { name: 'Operating system' }).getByRole('button', { name: 'Ubuntu' }).click()
  await page.getByText('2 of 3 match, 2 free now').waitFor()
  await checkAccessible(t, page)
  const reserve = page.getByRole('button', { name: /^Reserve bench \d until/ })
  const [named = ''] = /bench \d/.exec((await reserve.textContent()) ?? '') ?? []
  const other = named === 'bench 1' ? 'bench 2' : 'bench 1'
  await beforeNext(page, '**/api/sut_reservation/create', async () => {
    const faster = { sut_id: ids.get(named), start_in: 0, duration: 3_600 }
    await service.as('bob').post('/api/sut_reservation/create', faster)
  })
  await reserve.click()
  await page.getByRole('alert').getByText(`${named} is no longer free. Nothing was booked.`).waitFor()
  await page.getByRole('button', { name: new RegExp(`^Reserve ${other} until`) }).click()
  await says(page, 'status', new RegExp(`^${other} is yours until`))
  await hasFocus(page.getByRole('heading', { name: 'Reserved', exact: true }))
  await checkAccessible(t, page)
  await page.getByRole('button', { name: 'Reserve another' }).click()
  await hasFocus(page.getByRole('heading', { name: 'Best match' }))
  // Both are taken now: the next free time is named.
  await page.getByRole('radio', { name: /next free/ }).waitFor()
  await page.goBack()
  await page.getByText(/^3 of 3 match/).waitFor()
})

test('in Chromium a day is chosen from a month by keys, within what may be chosen, beside a field in which it is typed', async (t, open) => {
  const now = '2030-05-08T09:42:00.000Z'
  const service = await start(t, { now })
  await createSut(service.as('admin'), { name: 'bench 1' })
  const opened = await open(service)
  const { page } = opened
  // The clock of the browser is an hour and a half wrong.
  await page.clock.install({ time: '2030-05-08T08:12:00.000Z' })
  await enter(opened, 'alice')
  await pressFree(page, 'bench 1')
  const form = page.getByRole('dialog', { name: 'Reserve bench 1' })
  const until = form.getByRole('button', { name: 'Choose the day of the end' })
  await until.click()
  const month = page.getByRole('dialog', { name: 'Choose the day of the end' })
  const day = (name: string) => month.getByRole('gridcell', { name, exact: true })
  await hasFocus(day('Wednesday 8 May'))
  t.is(await day('Wednesday 8 May').getAttribute('aria-current'), 'date')
  await checkAccessible(t, page)
  // Nothing ends before it begins.
  t.true(await day('Tuesday 7 May').isDisabled())
  await month.getByRole('button', { name: 'Previous month' }).click()
  await month.getByRole('button', { name: 'Next month' }).press('Enter')
  await hasFocus(month.getByRole('button', { name: 'Next month' }))
  await month.getByRole('grid', { name: 'June 2030' }).waitFor()
  await page.keyboard.press('Tab')
  for (const [key, name] of [
    ...[['Home', 'Monday 3 June'] as const, ['ArrowLeft', 'Sunday 2 June'] as const],
    ...[['PageDown', 'Tuesday 2 July'] as const, ['End', 'Sunday 7 July'] as const],
    ...[['ArrowDown', 'Sunday 14 July'] as const, ['Shift+PageUp', 'Wednesday 8 May'] as const],
    ['ArrowRight', 'Thursday 9 May'] as const,
  ]) {
    await page.keyboard.press(key)
    await hasFocus(day(name))
  }
  await page.keyboard.press('Enter')
  await hasFocus(until)
  await form.getByRole('button', { name: 'Reserve until Thu 10:45' }).waitFor()
  // Escape closes the month, not the form around it.
  await until.press('Enter')
  await hasFocus(day('Thursday 9 May'))
  await page.keyboard.press('Escape')
  await month.waitFor({ state: 'detached' })
  await hasFocus(until)
  await form.getByRole('button', { name: 'Choose the day of the start' }).click()
  await page.getByRole('gridcell', { name: 'Friday 10 May' }).click()
  t.is(await form.getByRole('spinbutton', { name: 'Start' }).inputValue(), 'Fri 09:30')
  await form.getByRole('textbox', { name: 'Until' }).fill('mon 9:30')
  await page.keyboard.press('Tab')
  await form.getByRole('button', { name: 'Reserve until Mon 09:30' }).waitFor()
})
