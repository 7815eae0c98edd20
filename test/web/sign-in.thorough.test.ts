import test, { type ExecutionContext } from 'ava'
import { type Opened, openPageFor } from '../http/documents/browser.ts'
import { sharedBrowser } from '../http/documents/shared-browser.ts'
import { accountOf, checkQuiet, signIn } from './stage.ts'

/** Signing in where something is amiss, in a real browser. */

const { service, browser } = sharedBrowser()

const openPage = (t: ExecutionContext): Promise<Opened | undefined> => openPageFor(t, browser, undefined)

test('in Chromium a page that was loaded while the service was away is tried again, with the session kept', async (t) => {
  const opened = await openPage(t)
  if (opened === undefined) return
  const { page } = opened
  await page.goto('/')
  await signIn(opened, 'alice')
  await accountOf(opened, 'alice').waitFor()
  await page.route('**/api/user/me', (route) => route.abort())
  await page.reload()
  await page.getByText('Berth does not answer.').waitFor()
  t.false(await page.getByLabel('Password').isVisible())
  const again = page.getByRole('button', { name: 'Try again' })
  await again.click()
  await page.getByText('Berth does not answer.').waitFor()
  await page.unroute('**/api/user/me')
  await again.click()
  await accountOf(opened, 'alice').waitFor()
  t.false(await again.isVisible())
})

test('in Chromium single sign-on is offered only where it is set up, and a stray return from a provider says so', async (t) => {
  const opened = await openPage(t)
  if (opened === undefined) return
  const { page } = opened
  await page.goto('/login/callback?code=abc&state=def')
  await page.getByText('This sign-in did not begin in this tab. Begin again.').waitFor()
  t.is(new URL(page.url()).pathname + new URL(page.url()).search, '/')
  t.false(await page.getByRole('button', { name: 'Continue with single sign-on' }).isVisible())
  await page.goto('/login/callback?error=access_denied')
  await page.getByText('The provider did not sign you in. Try again, or use a password.').waitFor()
  checkQuiet(t, opened, service.url)
})

test('in Chromium too many attempts count down until the next one is taken', async (t) => {
  const opened = await openPage(t)
  if (opened === undefined) return
  const { page } = opened
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
  await said.getByText(`Try again in ${seconds - 20} s.`).waitFor()
  await page.clock.fastForward(60_000)
  await said.getByText('Try again.', { exact: true }).waitFor()
  t.true(seconds > 0 && seconds <= 60)
})

test('in Chromium who is signed in stays so on the address that a provider leads back to', async (t) => {
  const opened = await openPage(t)
  if (opened === undefined) return
  const { page } = opened
  await page.goto('/')
  await signIn(opened, 'alice')
  await accountOf(opened, 'alice').waitFor()
  for (const query of ['', '?code=abc&state=def', '?error=access_denied']) {
    await page.goto(`/login/callback${query}`)
    await accountOf(opened, 'alice').waitFor()
    t.false(await page.getByLabel('Password').isVisible(), query)
  }
})
