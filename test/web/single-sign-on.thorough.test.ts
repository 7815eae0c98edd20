/** Single sign-on in a real browser, through the login page of a real provider. */

import type { ExecutionContext } from 'ava'
import { freePort } from '../gateway/peers.ts'
import type { Opened } from '../http/documents/browser.ts'
import { start } from '../http/harness.ts'
import { environmentFor } from '../http/logins/oidc/stage.ts'
import { startLabProvider } from '../users/oidc/lab-provider.ts'
import { inChromium as test } from './stage.ts'

/** A service where anna has a role and eve has none. */
const signingOn = async (t: ExecutionContext): Promise<{ readonly url: string }> => {
  // The provider must know the address of the service before there is one.
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const lab = await startLabProvider(t, { redirectUri: `${url}/login/callback` })
  lab.people.set('anna', { preferred_username: 'Anna', groups: ['qa'] })
  lab.people.set('eve', { preferred_username: 'Eve', groups: ['guests'] })
  const environment = await environmentFor(t, lab.issuer, url)
  return start(t, { environment: { ...environment, BERTH_PORT: String(port) } })
}

/** Logs in at the provider's own page, and consents. */
const logIn = async ({ page }: Opened, name: string): Promise<void> => {
  await page.goto('/')
  await page.getByRole('button', { name: 'Continue with single sign-on' }).click()
  await page.locator('input[name=login]').fill(name)
  await page.locator('input[name=password]').fill('any')
  await page.locator('button[type=submit]').click()
  await page.locator('input[name=prompt][value=consent]').waitFor({ state: 'attached' })
  await page.locator('button[type=submit]').click()
}

test('in Chromium one signs in at the provider, sees who one is, and stays signed in', async (t, open) => {
  const opened = await open(await signingOn(t), undefined, 'complaints')
  const { page } = opened
  await logIn(opened, 'anna')
  await page.getByRole('link', { name: 'Anna', exact: true }).waitFor()
  t.is(new URL(page.url()).pathname + new URL(page.url()).search, '/', 'the code is not left in the address')
  t.is(await page.evaluate<string | null>('document.cookie'), '')
  await page.reload()
  await page.getByRole('link', { name: 'Anna', exact: true }).click()
  await page.getByText('tester').waitFor()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByRole('button', { name: 'Continue with single sign-on' }).waitFor()
})

test('in Chromium somebody without a role is told so', async (t, open) => {
  const opened = await open(await signingOn(t), undefined, 'complaints')
  await logIn(opened, 'eve')
  await opened.page.getByText('You have no role here. Ask an administrator.').waitFor()
  t.is(await opened.page.evaluate<string | null>(`localStorage.getItem('berth session')`), null)
})
