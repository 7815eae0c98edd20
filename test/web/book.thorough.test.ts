/** Reserving any machine for somebody else, on a phone and by keyboard, in a real browser. */

import { idOf, start } from '../http/harness.ts'
import { createSut } from '../http/requests.ts'
import { checkAccessible, hasFocus, says, inChromium as test } from './stage.ts'

test('in Chromium an administrator reserves any machine for another, beyond a quota, by keyboard and on a phone', async (t, open) => {
  const service = await start(t)
  await createSut(service.as('admin'), { name: 'bench 1', os: 'Ubuntu', tags: { gpu: 'l4' } })
  await createSut(service.as('admin'), { name: 'bench 2', os: 'Ubuntu' })
  const third = await createSut(service.as('admin'), { name: 'bench 3', os: 'Windows' })
  await service.as('admin').post(`/api/user/${idOf('bob')}/update`, { quota: { hours_per_week: 1 } })
  const admin = await open(service, 'admin')
  const { page } = admin
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('navigation', { name: 'Main, phone' }).getByRole('link', { name: 'Reserve' }).click()
  await page.getByRole('group', { name: 'gpu' }).getByRole('button', { name: 'not set' }).press('Enter')
  await page.getByRole('group', { name: 'Operating system' }).getByRole('button', { name: 'Windows' }).press('Space')
  await page.getByText('1 of 3 match, 1 free now').waitFor()
  const hours = page.getByRole('radiogroup', { name: 'Length' })
  await hours.getByRole('radio', { name: '1 h', exact: true }).press('ArrowRight')
  await hasFocus(hours.getByRole('radio', { name: '2 h', checked: true }))
  await page.getByLabel('For', { exact: true }).selectOption('bob')
  await checkAccessible(t, page)
  await page.getByRole('button', { name: /^Reserve bench 3 until/ }).press('Enter')
  await says(page, 'alert', /^This would be 2 h( 15 m)? of 1 h in the week .* Nothing was booked\.$/)
  await checkAccessible(t, page)
  await page.getByRole('button', { name: 'Reserve beyond the quota' }).press('Enter')
  await says(page, 'status', /^bench 3 is reserved for bob until/)
  await page.getByRole('button', { name: 'Reserve another' }).click()
  // Once a week, what is named is the next free time: the dates are shown before.
  await page.getByLabel('For', { exact: true }).selectOption('You, admin')
  await page.getByRole('switch', { name: 'Repeat weekly' }).press('Space')
  await page.getByText('8 dates, all free').waitFor()
  // Bob's reservation is before the first date: alice has the fourth.
  const at = (hours: number): string => new Date(Date.now() + (21 * 24 + hours) * 3_600_000).toISOString()
  const held = { sut_id: third, user_id: idOf('alice'), start_time: at(3), end_time: at(4) }
  await service.as('admin').post('/api/sut_reservation/create', held)
  await page.getByLabel('Weekly, times').fill('4')
  await page.keyboard.press('Tab')
  await page.getByText('1 of 4 dates is taken').waitFor()
  await page.getByRole('button', { name: 'Only the first 3' }).click()
  await hasFocus(page.getByLabel('Weekly, times'))
  await page.getByText('3 dates, all free').waitFor()
  await checkAccessible(t, page)
  await hours.getByRole('radio', { name: '1 h', exact: true }).click()
  await page.getByText('3 dates, all free').waitFor()
  await hours.getByRole('radio', { name: '2 h' }).click()
  await page.getByRole('button', { name: 'Reserve bench 3 3 times' }).click()
  await page.getByRole('status').getByText('bench 3 is yours on 3 dates.').waitFor()
  // For another there are the machines of another's scope.
  await service.as('admin').post(`/api/user/${idOf('bob')}/update`, { scope: 'gpu=l4' })
  await page.getByRole('button', { name: 'Reserve another' }).click()
  await page.getByLabel('For', { exact: true }).selectOption('bob')
  await page.getByText('0 of 1 match, none free now').waitFor()
  await page.getByText('No machines match. Remove a criterion.').waitFor()
  // A link leads to the same choice.
  await page.reload()
  await page.getByText('1 of 3 match, none free now').waitFor()
  await hours.getByRole('radio', { name: '2 h', checked: true }).waitFor()
})
