import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import type { Locator, Page, Route } from 'playwright-core'
import { passwordOf } from '../http/client.ts'
import { closeBrowser, type Opened, openPage, startBrowser } from '../http/documents/browser.ts'

/** Chromium itself says so of each request that is refused or cut, and how a canvas is read. */
const isOfChromium = (fault: string): boolean =>
  /^Failed to load resource: (net::ERR_|.* status of (401|403|404|409|410|412|422|429|503) )|^Canvas2D:/.test(fault)

/** No error, no violation of a policy, and no request to another host. */
const checkQuiet = (t: ExecutionContext, { faults, requests, url }: Opened): void => {
  t.deepEqual(
    faults.filter((fault) => !isOfChromium(fault)),
    [],
  )
  t.deepEqual(
    requests.filter(({ origin }) => origin !== url),
    [],
  )
}

export const signIn = async ({ page }: Opened, name: string, password = passwordOf(name)): Promise<void> => {
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** The link of the top bar to one's own account: it has the name. */
export const accountOf = ({ page }: Opened, name: string): Locator =>
  page.getByRole('banner').getByRole('link', { name, exact: true })

/** Waits until the focus is there. Keys go where it is, and a busy page moves it late. */
export const hasFocus = (where: Locator): Promise<void> => where.and(where.page().locator(':focus')).waitFor()

/** Waits until the focus is somewhere inside. */
export const hasFocusInside = (where: Locator): Promise<void> => where.locator(':focus').waitFor()

/** Opens the page and signs in there. */
export const enter = async (opened: Opened, name: string): Promise<void> => {
  await opened.page.goto('/')
  await signIn(opened, name)
  await accountOf(opened, name).waitFor()
  // Where the button was is now the schedule, whose rows keep their places under a pointer.
  await opened.page.mouse.move(0, 0)
}

/**
 * Opens a page for a service, and signs in there if a name is given. At the end of the test it must have been quiet,
 * unless its complaints are expected.
 */
type Open = (service: { readonly url: string }, name?: string, expected?: 'complaints') => Promise<Opened>

test.after.always(closeBrowser)

/** A test in Chromium. Without it, it says so. */
export const inChromium = (title: string, run: (t: ExecutionContext, open: Open) => Promise<void>): void =>
  test(title, async (t) => {
    t.timeout(600_000)
    const browser = await startBrowser()
    if (typeof browser === 'string') {
      t.log(browser)
      t.pass()
      return
    }
    const quiet: Opened[] = []
    await run(t, async ({ url }, name, expected) => {
      const opened = await openPage(t, browser, url)
      if (expected === undefined) quiet.push(opened)
      if (name !== undefined) await enter(opened, name)
      return opened
    })
    for (const opened of quiet) checkQuiet(t, opened)
  })

/** Does something when the page next asks for a path, before it is asked for. */
export const beforeNext = async (page: Page, path: string, act: () => Promise<unknown>): Promise<void> => {
  const first = async (route: Route): Promise<void> => {
    await act()
    await route.continue()
  }
  await page.route(path, first, { times: 1 })
}

/** The row of a machine in the schedule. */
export const rowOf = (page: Page, name: string): Locator => page.getByRole('row').filter({ hasText: name })

/** Opens the form of a reservation that begins now, from the row of a machine. */
export const pressFree = async (page: Page, name: string): Promise<void> => {
  await rowOf(page, name).hover()
  await rowOf(page, name)
    .getByRole('button', { name: `Reserve ${name} for 1 h` })
    .click()
}

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** No violation of WCAG 2.2 AA that axe can find. */
export const checkAccessible = async (t: ExecutionContext, page: Page): Promise<void> => {
  await page.evaluate(axe)
  // A button that becomes enabled changes its colours one after the other.
  await page.evaluate(`Promise.allSettled(
    document.getAnimations().filter((one) => one instanceof CSSTransition).map(({ finished }) => finished))`)
  const run = `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] })
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).slice(0, 3).join(' ')))`
  t.deepEqual(await page.evaluate(run), [])
}

/** Waits until a status or an alert says so. */
export const says = (place: Pick<Page, 'getByRole'>, role: 'status' | 'alert', text: RegExp): Promise<void> =>
  place.getByRole(role).getByText(text).waitFor()
