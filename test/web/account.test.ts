/** One's own account, in a real browser. */

import { passwordOf } from '../http/client.ts'
import { idOf, start } from '../http/harness.ts'
import { statusWith } from '../http/logins/login.ts'
import { accountOf, checkAccessible, hasFocus, inChromium as test } from './stage.ts'

test('in Chromium one makes a token, sees it once, revokes it, and changes the own password', async (t, open) => {
  const service = await start(t)
  await service.as('admin').post(`/api/user/${idOf('alice')}/update`, { quota: { hours_per_week: 12 } })
  const opened = await open(service, 'alice')
  const { page } = opened
  await accountOf(opened, 'alice').click()
  await page.getByText('0 h of 12 h').waitFor()
  await page.getByText('No tokens yet.').waitFor()
  await page.getByRole('button', { name: 'New token' }).click()
  await page.getByRole('dialog', { name: 'New token' }).getByLabel('Purpose').fill('nightly <b>')
  await page.keyboard.press('Enter')
  await page.getByText('It is shown only once.').waitFor()
  const token = String(await page.locator('.secret').textContent())
  t.is(await statusWith(service, token), 200)
  await checkAccessible(t, page)
  await page.getByRole('button', { name: 'Revoke nightly <b>' }).click()
  await page.getByRole('button', { name: 'Revoke', exact: true }).click()
  await page.getByText('No tokens yet.').waitFor()
  await hasFocus(page.getByRole('button', { name: 'New token' }))
  t.is(await statusWith(service, token), 401)

  const form = page.getByRole('region', { name: 'Password' })
  // What is typed in another tab stays there when the sessions end.
  const other = await page.context().newPage()
  await other.goto(page.url())
  await other.getByLabel('Current password').fill('half a')
  await form.getByLabel('Current password').fill('not this one')
  await form.getByLabel('New password').fill('battery staple')
  await form.getByRole('button', { name: 'Change' }).click()
  await form.getByText('That is not your current password.').waitFor()
  await form.getByLabel('Current password').fill(passwordOf('alice'))
  await form.getByRole('button', { name: 'Change' }).click()
  await form.getByText('Password changed.').waitFor()
  t.is(await other.getByLabel('Current password').inputValue({ timeout: 5_000 }), 'half a')
  t.is((await service.anyone.post('/api/login', { name: 'alice', password: 'battery staple' })).status, 200)
  await accountOf(opened, 'alice').waitFor()
})
