import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ExecutionContext } from 'ava'
import type { Locator, Page } from 'playwright-core'
import { passwordOf } from '../http/client.ts'
import { type Chromium, type NoBrowser, type Opened, openPageFor } from '../http/documents/browser.ts'

/** Chromium itself says so of each request that is refused. */
const isOfRefusal = (fault: string): boolean =>
  /the server responded with a status of (401|403|404|409|410|412|422|429)/.test(fault)

/** No error, no violation of a policy, and no request to another host. */
export const checkQuiet = (t: ExecutionContext, { faults, requests }: Opened, url: string): void => {
  t.deepEqual(
    faults.filter((fault) => !isOfRefusal(fault)),
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

/** Opens the page for somebody who signs in; undefined, with the reason logged, where no browser is installed. */
export const openFor = async (
  t: ExecutionContext,
  browser: Chromium | NoBrowser,
  name: string,
): Promise<Opened | undefined> => {
  const opened = await openPageFor(t, browser, undefined)
  if (opened === undefined) return undefined
  await opened.page.goto('/')
  await signIn(opened, name)
  await accountOf(opened, name).waitFor()
  // Where the button was is now the schedule, whose rows keep their places under a pointer.
  await opened.page.mouse.move(0, 0)
  return opened
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
