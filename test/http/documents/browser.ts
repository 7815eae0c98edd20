/** A real Chromium, if installed. */

import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import type { Tidying } from '../harness.ts'

export interface Opened {
  readonly page: Page
  /** The address of the service. */
  readonly url: string
  /** Console errors, uncaught exceptions, and violations of the Content Security Policy. */
  readonly faults: readonly string[]
  /** The address of every request except data: and blob:. */
  readonly requests: readonly URL[]
}

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export const LAB_HOST = 'berth.example'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome']

const findChromium = (): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find(isExecutable)

// Root cannot use Chromium's sandbox, and all content is our own.
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  // A host that is not loopback in the eyes of a browser.
  `--host-resolver-rules=MAP ${LAB_HOST} 127.0.0.1`,
]

/** Milliseconds for a step on a busy machine. */
const WITHIN = 60_000

/** Opens a page for a service at this address, until the scope ends. */
export const openPage = async (scope: Tidying, browser: Browser, url: string): Promise<Opened> => {
  const context = await browser.newContext({ baseURL: url })
  scope.teardown(() => context.close())
  context.setDefaultTimeout(WITHIN)
  const page = await context.newPage()
  const faults: string[] = []
  const requests: URL[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(String(error)))
  context.on('request', (request) => {
    const address = new URL(request.url())
    if (address.protocol !== 'data:' && address.protocol !== 'blob:') requests.push(address)
  })
  return { page, url, faults, requests }
}

/** Starts Chromium, or says why it does not run. */
const launch = async (): Promise<Browser | string> => {
  const executablePath = findChromium()
  if (executablePath === undefined) return 'NOT RUN: Chromium is not installed'
  try {
    return await chromium.launch({ executablePath, args: ARGS, timeout: WITHIN })
  } catch (error) {
    return `NOT RUN: ${executablePath} did not start: ${(error as Error).message}`
  }
}

let launched: Promise<Browser | string> | undefined

/** The browser of this process, or why there is none. A start costs more than most tests. */
export const startBrowser = (): Promise<Browser | string> => {
  launched ??= launch()
  return launched
}

export const closeBrowser = async (): Promise<void> => {
  const browser = await launched
  if (typeof browser === 'object') await browser.close()
}

/** The addresses for which Chromium would open its dialog for a name and a password. */
export const watchDialogs = async (page: Page): Promise<readonly string[]> => {
  const session = await page.context().newCDPSession(page)
  const asked: string[] = []
  // A page that is closed takes its requests with it. One that is not, and gets no answer, waits until the test fails.
  const ignore = (): void => {}
  session.on('Fetch.requestPaused', ({ requestId }) => {
    session.send('Fetch.continueRequest', { requestId }).catch(ignore)
  })
  session.on('Fetch.authRequired', ({ requestId, request }) => {
    asked.push(request.url)
    const authChallengeResponse = { response: 'CancelAuth' } as const
    session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse }).catch(ignore)
  })
  await session.send('Fetch.enable', { handleAuthRequests: true })
  return asked
}
