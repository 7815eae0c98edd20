/** Signing in where something is amiss, in a real browser. */

import { start } from '../http/harness.ts'
import { accountOf, enter, inChromium as test } from './stage.ts'

test('in Chromium a page that was loaded while the service was away is tried again, with the session kept', async (t, open) => {
  const service = await start(t)
  const opened = await open(service)
  const { page } = opened
  await enter(opened, 'alice')
  await page.route('**/api/user/me', (route) => route.abort())
  await page.reload()
  await page.getByText('Berth is not responding.').waitFor()
  t.false(await page.getByLabel('Password').isVisible())
  const again = page.getByRole('button', { name: 'Try again' })
  await again.click()
  await page.getByText('Berth is not responding.').waitFor()
  await page.unroute('**/api/user/me')
  await again.click()
  await accountOf(opened, 'alice').waitFor()
  t.false(await again.isVisible())
})

test('in Chromium single sign-on is offered only where it is set up, and a stray return from a provider says so', async (t, open) => {
  const service = await start(t)
  const { page } = await open(service)
  await page.goto('/login/callback?code=abc&state=def')
  await page.getByText('This sign-in did not start in this tab. Start again.').waitFor()
  t.is(new URL(page.url()).pathname + new URL(page.url()).search, '/')
  t.false(await page.getByRole('button', { name: 'Continue with single sign-on' }).isVisible())
  await page.goto('/login/callback?error=access_denied')
  await page.getByText('The provider did not sign you in. Try again, or use a password.').waitFor()
})

test('in Chromium too many attempts count down until the next one is taken', async (t, open) => {
  const service = await start(t)
  const { page } = await open(service)
  await page.clock.install()
  await page.goto('/')
  const wrong = { name: 'bob', password: 'a wrong one' }
  while ((await service.anyone.post('/api/login', wrong)).status === 401);
  await page.getByLabel('Name').fill('bob')
  await page.getByLabel('Password').fill('another')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  const said = page
    .getByRole('alert')
    .locator('[aria-hidden]')
    .filter({ hasText: /^Try again/ })
  await said.getByText(/^Try again in \d+ s\.$/).waitFor()
  const seconds = Number(/\d+/.exec(String(await said.textContent()))?.[0])
  await page.clock.fastForward(20_000)
  // On a busy machine some seconds pass besides.
  const left = Array.from({ length: 10 }, (_, passed) => seconds - 20 - passed).join('|')
  await said.getByText(new RegExp(`^Try again in (${left}) s\\.$`)).waitFor()
  await page.clock.fastForward(60_000)
  await said.getByText('Try again.', { exact: true }).waitFor()
  t.true(seconds > 0 && seconds <= 60)
})

test('in Chromium who is signed in stays so on the address that a provider leads back to', async (t, open) => {
  const service = await start(t)
  const opened = await open(service)
  const { page } = opened
  await enter(opened, 'alice')
  for (const query of ['', '?code=abc&state=def', '?error=access_denied']) {
    await page.goto(`/login/callback${query}`)
    await accountOf(opened, 'alice').waitFor()
    t.false(await page.getByLabel('Password').isVisible(), query)
  }
})
