/** The page on which people sign in, as a browser gets it and in a real one. */

import test from 'ava'
import { passwordOf } from '../http/client.ts'
import type { Opened } from '../http/documents/browser.ts'
import { start } from '../http/harness.ts'
import { statusWith } from '../http/logins/login.ts'
import { PAGE_SCRIPT } from '../http/page-script.ts'
import { createSut } from '../http/requests.ts'
import { accountOf, enter, hasFocus, inChromium, rowOf, signIn } from './stage.ts'

const sessionIn = async ({ page }: Opened): Promise<string> =>
  JSON.parse(String(await page.evaluate<string>(`localStorage.getItem('berth session')`)))?.session

const POLICY = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

test('the page and its files need no credentials, have a strict policy and set no cookie', async (t) => {
  const service = await start(t)
  for (const path of ['/', '/login/callback?code=a&state=b&session_state=c']) {
    const { status, headers, text } = await service.anyone.get(path)
    t.is(status, 200)
    t.like(headers, POLICY)
    t.is(headers['set-cookie'], undefined)
    t.notRegex(text, /<script>|<style|\son\w+=|\sstyle=/i, 'nothing inline')
    for (const [, file = ''] of text.matchAll(/(?:src|href)="(\/web\/[^"]+)"/g))
      t.is((await service.anyone.get(file)).status, 200, file)
  }
  t.notRegex((await service.anyone.get(PAGE_SCRIPT)).text, /: string\b/, 'types are stripped')
})

test('what the first screen is made of takes less than 110 KB on the wire', async (t) => {
  const service = await start(t)
  const { text } = await service.anyone.get('/')
  const files = new Set([...text.matchAll(/(?:src|href)="(\/web\/[^"]+)"/g)].map(([, file = '']) => file))
  let bytes = 0
  for (const path of ['/', ...files]) {
    const { headers } = await service.anyone.get(path, { 'accept-encoding': 'gzip' })
    if (path !== '/') t.is(headers['content-encoding'], 'gzip', path)
    bytes += Number(headers['content-length'])
  }
  t.true(files.size < 15, `${files.size} files`)
  t.true(bytes > 50_000 && bytes < 110_000, `${bytes}`)
})

inChromium(
  'in Chromium one signs in with a password, sees who one is, stays signed in, and signs out',
  async (t, open) => {
    const service = await start(t)
    const opened = await open(service)
    const { page } = opened
    await page.goto('/')
    await signIn(opened, 'alice', 'wrong')
    await page.getByText('The user name or the password is wrong.').waitFor()
    await signIn(opened, 'alice')
    await accountOf(opened, 'alice').waitFor()
    t.false(await page.getByLabel('Password').isVisible())
    await page.reload()
    await accountOf(opened, 'alice').waitFor()
    const session = await sessionIn(opened)
    t.is(await statusWith(service, session), 200)
    t.deepEqual(await page.context().cookies(), [])
    await accountOf(opened, 'alice').click()
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.getByRole('textbox', { name: 'Password', exact: true }).waitFor()
    t.is(await statusWith(service, session), 401)
    t.is(await page.evaluate<unknown>(`localStorage.getItem('berth session')`), null)
  },
)

inChromium(
  'thorough: in Chromium a session that has ended elsewhere brings the form over the page, which is kept',
  async (t, open) => {
    const service = await start(t)
    const opened = await open(service)
    const { page } = opened
    await enter(opened, 'bob')
    await service.as('bob').post('/api/logout', { everywhere: true })
    const form = page.getByRole('dialog', { name: 'Sign in' })
    await form.getByText('Your session ended. Sign in to continue where you were.').waitFor()
    for (let n = 0; n < 2; n++) await page.keyboard.press('Escape')
    // A second Escape in a row closes it, and it opens again.
    await form.waitFor()
    t.true(await page.getByRole('heading', { name: 'Schedule' }).or(page.locator('h1.title')).first().isVisible())
    await signIn(opened, 'bob')
    await page.getByLabel('Password').waitFor({ state: 'detached' })
    await accountOf(opened, 'bob').click()
    const other = String(
      (await service.anyone.post('/api/login', { name: 'bob', password: passwordOf('bob') })).json.session,
    )
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByRole('button', { name: 'Stay signed in' }).press('Enter')
    await hasFocus(page.getByRole('button', { name: 'Sign out everywhere' }))
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Password', exact: true }).waitFor()
    t.is(await statusWith(service, other), 401)
  },
)

inChromium(
  'thorough: in Chromium nothing that one chose is there for the next, who sees the schedule',
  async (t, open) => {
    const service = await start(t)
    await createSut(service.as('admin'), { name: 'bench 1' })
    const opened = await open(service, 'bob')
    const { page } = opened
    const filter = page.getByPlaceholder('Filter machines')
    await filter.fill('bench')
    await service.as('bob').post('/api/logout', { everywhere: true })
    await page.getByRole('dialog', { name: 'Sign in' }).waitFor()
    await signIn(opened, 'alice')
    await accountOf(opened, 'alice').waitFor()
    await rowOf(page, 'bench 1').waitFor()
    t.is(await filter.inputValue(), '')
  },
)
