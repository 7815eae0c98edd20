import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { ExecutionContext } from 'ava'
import type { Opened } from '../http/documents/browser.ts'
import { start } from '../http/harness.ts'
import { environmentFor } from '../http/logins/oidc/stage.ts'
import { startLabProvider } from '../users/oidc/lab-provider.ts'
import { inChromium as test } from './stage.ts'

/** Single sign-on in a real browser, through the login page of a real provider. */

/** The provider must know the address of the service before there is one: its connections are passed on. */
const startForwarder = async (
  t: ExecutionContext,
): Promise<{ readonly url: string; readonly to: (port: number) => void }> => {
  let target = 0
  const accepted = new Set<Socket>()
  const server = createServer((from) => {
    const onwards = connect(target, '127.0.0.1')
    from.pipe(onwards).pipe(from)
    for (const socket of [from, onwards]) socket.on('error', () => undefined)
    accepted.add(from)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.close()
    for (const socket of accepted) socket.destroy()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    to: (port) => {
      target = port
    },
  }
}

/** A service where anna has a role and eve has none. */
const signingOn = async (t: ExecutionContext): Promise<{ readonly url: string }> => {
  const { url, to } = await startForwarder(t)
  const lab = await startLabProvider(t, { redirectUri: `${url}/login/callback` })
  lab.people.set('anna', { preferred_username: 'Anna', groups: ['qa'] })
  lab.people.set('eve', { preferred_username: 'Eve', groups: ['guests'] })
  const environment = await environmentFor(t, lab.issuer, url)
  to((await start(t, { environment })).port)
  return { url }
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
