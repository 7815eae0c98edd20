import test, { type ExecutionContext } from 'ava'
import { passwordOf } from '../client.ts'
import { type Running, start, tidyingLater } from '../harness.ts'
import { statusWith } from '../logins/login.ts'
import { type Chromium, type NoBrowser, type Opened, openPageFor, startBrowser } from './browser.ts'

/** The page on which people sign in, as a browser gets it and in a real one. */

const later = tidyingLater()
let service: Running
let browser: Chromium | NoBrowser

test.before(async (t) => {
  t.timeout(120_000)
  service = await start(later)
  browser = await startBrowser(later, service.url)
})
test.after.always(later.tidy)

const openPage = (t: ExecutionContext): Promise<Opened | undefined> => openPageFor(t, browser, undefined)

/** Chromium itself says so of each request that is refused. */
const isOfRefusal = (fault: string): boolean => /the server responded with a status of (401|403|404|429)/.test(fault)

const checkQuiet = (t: ExecutionContext, { faults, requests }: Opened): void => {
  t.deepEqual(
    faults.filter((fault) => !isOfRefusal(fault)),
    [],
  )
  t.deepEqual(
    requests.filter(({ origin }) => origin !== service.url),
    [],
  )
}

const signIn = async ({ page }: Opened, name: string, password = passwordOf(name)): Promise<void> => {
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

const sessionIn = async ({ page }: Opened): Promise<string> =>
  JSON.parse(String(await page.evaluate<string>(`localStorage.getItem('berth session')`)))?.session

const POLICY = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

test('the page and its files need no credentials, have a strict policy and set no cookie', async (t) => {
  for (const path of ['/', '/login/callback?code=a&state=b&session_state=c']) {
    const { status, headers, text } = await service.anyone.get(path)
    t.is(status, 200)
    t.like(headers, POLICY)
    t.is(headers['set-cookie'], undefined)
    t.notRegex(text, /<script>|<style|\son\w+=|\sstyle=/i, 'nothing inline')
    for (const [, file = ''] of text.matchAll(/(?:src|href)="(\/web\/[^"]+)"/g))
      t.is((await service.anyone.get(file)).status, 200, file)
  }
  t.notRegex((await service.anyone.get('/web/page.js')).text, /: string\b/, 'types are stripped')
})

test('in Chromium one signs in with a password, sees who one is, stays signed in, and signs out', async (t) => {
  const opened = await openPage(t)
  if (opened === undefined) return
  const { page } = opened
  await page.goto('/')
  await signIn(opened, 'alice', 'wrong')
  await page.getByText('The user name or the password is wrong.').waitFor()
  await signIn(opened, 'alice')
  await page.getByText('Signed in as alice, tester.').waitFor()
  t.false(await page.getByLabel('Password').isVisible())
  t.is(await page.getByLabel('Password').inputValue(), '')
  await page.reload()
  await page.getByText('Signed in as alice, tester.').waitFor()
  const session = await sessionIn(opened)
  t.is(await statusWith(service, session), 200)
  t.deepEqual(await page.context().cookies(), [])
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByLabel('Password').waitFor()
  t.is(await statusWith(service, session), 401)
  t.is(await page.evaluate<unknown>(`localStorage.length`), 0)
  checkQuiet(t, opened)
})

test('in Chromium a session that has ended elsewhere leads back to the form, and says so', async (t) => {
  const opened = await openPage(t)
  if (opened === undefined) return
  const { page } = opened
  await page.goto('/')
  await signIn(opened, 'bob')
  await page.getByText('Signed in as bob, tester.').waitFor()
  await service.as('bob').post('/api/logout', { everywhere: true })
  await page.reload()
  await page.getByText('The session has ended. Sign in again.').waitFor()
  await signIn(opened, 'bob')
  await page.getByText('Signed in as bob, tester.').waitFor()
  const other = String(
    (await service.anyone.post('/api/login', { name: 'bob', password: passwordOf('bob') })).json.session,
  )
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByLabel('Password').waitFor()
  t.is(await statusWith(service, other), 401)
  checkQuiet(t, opened)
})

test('in Chromium a page that was loaded while the service was away is tried again, with the session kept', async (t) => {
  const opened = await openPage(t)
  if (opened === undefined) return
  const { page } = opened
  await page.goto('/')
  await signIn(opened, 'alice')
  await page.getByText('Signed in as alice, tester.').waitFor()
  await page.route('**/api/user/me', (route) => route.abort())
  await page.reload()
  await page.getByText('Berth does not answer. Try again.').waitFor()
  t.false(await page.getByLabel('Password').isVisible())
  const again = page.getByRole('button', { name: 'Try again' })
  await again.click()
  await page.getByText('Berth does not answer. Try again.').waitFor()
  await page.unroute('**/api/user/me')
  await again.click()
  await page.getByText('Signed in as alice, tester.').waitFor()
  t.false(await again.isVisible())
  t.is(await page.locator('#notice').textContent(), '')
})

test('in Chromium a name is shown as text, whatever it contains', async (t) => {
  const opened = await openPage(t)
  if (opened === undefined) return
  const name = '<img src=x onerror=document.title="hit">'
  const body = { name, role: 'auditor', password: 'correct horse' }
  t.is((await service.as('admin').post('/api/user/create', body)).status, 201)
  const { page } = opened
  await page.goto('/')
  await signIn(opened, name, body.password)
  await page.getByText(`Signed in as ${name}, auditor.`).waitFor()
  t.is(await page.title(), 'Berth')
  checkQuiet(t, opened)
})

test('in Chromium single sign-on is offered only where it is set up, and a stray return from a provider says so', async (t) => {
  const opened = await openPage(t)
  if (opened === undefined) return
  const { page } = opened
  await page.goto('/login/callback?code=abc&state=def')
  await page.getByText('This sign-in did not begin in this tab. Begin again.').waitFor()
  t.is(new URL(page.url()).pathname + new URL(page.url()).search, '/')
  t.false(await page.getByRole('button', { name: 'Sign in with single sign-on' }).isVisible())
  await page.goto('/login/callback?error=access_denied')
  await page.getByText('The provider has not signed you in.').waitFor()
  checkQuiet(t, opened)
})
