import { type AddressInfo, connect, createServer } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { type Chromium, type NoBrowser, type Opened, openPageFor, startBrowser } from '../http/documents/browser.ts'
import { start, temporaryData, tidyingLater } from '../http/harness.ts'
import { environmentFor } from '../http/logins/oidc/stage.ts'
import { startLabProvider } from '../users/oidc/lab-provider.ts'

/** Single sign-on in a real browser, through the login page of a real provider. */

const later = tidyingLater()
let browser: Chromium | NoBrowser

/** The provider must know the address of the service before there is one: its connections are passed on. */
const startForwarder = async (): Promise<{ readonly url: string; readonly to: (port: number) => void }> => {
  let target = 0
  const server = createServer((from) => {
    const onwards = connect(target, '127.0.0.1')
    from.pipe(onwards).pipe(from)
    for (const socket of [from, onwards]) socket.on('error', () => undefined)
    later.teardown(() => void from.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  later.teardown(() => void server.close())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    to: (port) => {
      target = port
    },
  }
}

test.before(async (t) => {
  t.timeout(240_000)
  const { url, to } = await startForwarder()
  const lab = await startLabProvider(later, { redirectUri: `${url}/login/callback` })
  lab.people.set('anna', { preferred_username: 'Anna', groups: ['qa'] })
  lab.people.set('eve', { preferred_username: 'Eve', groups: ['guests'] })
  const environment = await environmentFor(later, lab.issuer, url)
  const service = await start(later, { data: await temporaryData(later), environment })
  to(service.port)
  browser = await startBrowser(later, url)
})
test.after.always(later.tidy)

const openPage = (t: ExecutionContext): Promise<Opened | undefined> => openPageFor(t, browser, undefined)

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

test('in Chromium one signs in at the provider, sees who one is, and stays signed in', async (t) => {
  t.timeout(240_000)
  const opened = await openPage(t)
  if (opened === undefined) return
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

test('in Chromium somebody without a role is told so', async (t) => {
  t.timeout(240_000)
  const opened = await openPage(t)
  if (opened === undefined) return
  await logIn(opened, 'eve')
  await opened.page.getByText('You have no role here. Ask an administrator.').waitFor()
  t.is(await opened.page.evaluate<string | null>(`localStorage.getItem('berth session')`), null)
})
