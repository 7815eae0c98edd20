/** The states of each screen beside the usual one, and how a screen is brought into them. */

import type { Page, Route } from 'playwright-core'
import { passwordOf } from '../http/client.ts'
import { idOf, start } from '../http/harness.ts'
import { createSut } from '../http/requests.ts'
import { accountOf, checkAccessible, signIn, inChromium as test } from './stage.ts'

interface ScreenStates {
  /** The address, behind `/#/`. */
  readonly place: string
  /** Whose page it is: `admin` or `alice`, a tester. */
  readonly user: 'admin' | 'alice'
  /** What it reads first. */
  readonly reads: RegExp
  /** What it says when that fails. */
  readonly failed: string
  /** What it says when there is nothing. */
  readonly empty: string
  /** What it says otherwise. */
  readonly ready: string
  /** Who may not use it, or sees nothing there, and what is said to them. */
  readonly forbidden?: { readonly user: string; readonly text: string }
}

/** `machine` is the id of one. */
const screenStates = (machine: string): Readonly<Record<string, ScreenStates>> => ({
  schedule: {
    ...{ place: 'schedule', user: 'alice', reads: /\/api\/sut\?/, failed: 'The schedule could not be loaded' },
    ...{ empty: 'No machines yet', ready: 'bench 1' },
    forbidden: { user: 'carl', text: 'No machines in your scope' },
  },
  mine: {
    ...{ place: 'mine', user: 'alice', reads: /\/api\/sut_re(servation|quest)\?user_id=/ },
    ...{ failed: 'Your reservations could not be loaded', empty: 'You have no reservations', ready: 'Running' },
    forbidden: { user: 'audrey', text: 'Auditors cannot reserve machines' },
  },
  book: {
    ...{ place: 'book', user: 'alice', reads: /\/api\/sut\?/, failed: 'The machines could not be loaded' },
    ...{ empty: 'No machines yet', ready: 'Best match' },
    forbidden: { user: 'audrey', text: 'Auditors cannot reserve machines' },
  },
  machines: {
    ...{ place: 'machines', user: 'admin', reads: /\/api\/sut\?/, failed: 'The machines could not be loaded' },
    ...{ empty: 'No machines yet', ready: 'bench 1' },
    forbidden: { user: 'carl', text: 'No machines in your scope' },
  },
  machine: {
    ...{ place: `machines/${machine}`, user: 'admin', reads: /\/api\/sut_reservation\?.*sut_id=/ },
    ...{ failed: 'The machine could not be loaded', empty: 'Nothing reserved', ready: 'Next 7 days' },
    forbidden: { user: 'carl', text: 'This machine is no longer in your scope.' },
  },
  activity: {
    ...{ place: 'activity', user: 'admin', reads: /\/api\/events\?/, failed: 'The activity could not be loaded' },
    ...{ empty: 'No activity yet', ready: 'Today' },
    forbidden: { user: 'alice', text: 'Only administrators and auditors can see activity' },
  },
  people: {
    ...{ place: 'people', user: 'admin', reads: /\/api\/user\?include=used/, failed: 'The people could not be loaded' },
    ...{ empty: 'Nobody else yet', ready: 'audrey' },
    forbidden: { user: 'alice', text: 'Only administrators can manage people' },
  },
  usage: {
    ...{ place: 'usage', user: 'admin', reads: /\/api\/report\//, failed: 'The usage could not be loaded' },
    ...{ empty: 'Nothing was reserved in these days.', ready: 'Hours a day' },
  },
  account: {
    ...{ place: 'account', user: 'alice', reads: /\/api\/user\/me\/token/, failed: 'The tokens could not be loaded' },
    ...{ empty: 'No tokens yet. Scripts use a token instead of a password.', ready: 'nightly' },
  },
})

const FAILED = {
  ...{ type: 'about:blank', title: 'Store full', status: 503, code: 'store_full' },
  ...{ detail: 'The disk of the service is full.', instance: 'urn:berth:request:41' },
}

/** The answer with nothing in its list; of users the first stays: oneself. */
const emptied = (text: string): string => {
  const entries = Object.entries(JSON.parse(text) as Record<string, unknown>).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.slice(0, name === 'users' ? 1 : 0) : value,
  ])
  return JSON.stringify(Object.fromEntries(entries))
}

/** What becomes of the requests that match: they wait, fail, find nothing, or pass. */
const interceptReads = async (page: Page) => {
  let reads: RegExp | undefined
  let waiting: Route[] = []
  let mode: 'wait' | 'fail' | 'empty' = 'wait'
  const answer = async (route: Route): Promise<void> => {
    if (mode === 'fail') {
      await route.fulfill({ status: 503, contentType: 'application/problem+json', body: JSON.stringify(FAILED) })
      return
    }
    const response = await route.fetch()
    const body = emptied(await response.text())
    await route.fulfill({ response, body }).catch((error: Error) => {
      // The page has gone elsewhere meanwhile, which ends its requests.
      if (!error.message.includes('already handled')) throw error
    })
  }
  await page.route('**/api/**', async (route) => {
    if (reads === undefined || !reads.test(route.request().url())) await route.fallback()
    else if (mode === 'wait') waiting.push(route)
    else await answer(route)
  })
  const release = async (next: 'fail' | 'empty'): Promise<void> => {
    mode = next
    const held = waiting
    waiting = []
    await Promise.all(held.map(answer))
  }
  return {
    hold: (those: RegExp): void => {
      reads = those
      mode = 'wait'
    },
    fail: () => release('fail'),
    empty: () => release('empty'),
    pass: (): void => {
      reads = undefined
    },
  }
}

/** Every screen while it loads, fails, is empty, is cut off, and for those who may not use it, in a real browser. */

test('in Chromium every screen says that it loads, failed, is empty, is cut off, or is not for you', async (t, open) => {
  const service = await start(t)
  const admin = service.as('admin')
  const sut_id = await createSut(admin, { name: 'bench 1' })
  await admin.post('/api/user/create', {
    name: 'carl',
    role: 'tester',
    scope: 'rack=9',
    password: passwordOf('carl'),
  })
  const window = { start_in: 0, duration: 3_600 }
  await service.as('alice').post('/api/sut_reservation/create', { user_id: idOf('alice'), sut_id, ...window })
  await service.as('alice').post('/api/user/me/token', { name: 'nightly' })
  const pages = new Map<string, Page>()
  const pageOf = async (name: string) => {
    const page = pages.get(name) ?? (await open(service, name)).page
    pages.set(name, page)
    return page
  }
  for (const [name, screen] of Object.entries(screenStates(sut_id))) {
    const page = await pageOf(screen.user)
    const main = page.getByRole('main')
    const reads = await interceptReads(page)
    reads.hold(screen.reads)
    await page.goto(`/#/${screen.place}`)
    await page.reload()
    await main.getByText('Loading').first().waitFor()
    await reads.fail()
    await main.getByText(screen.failed).waitFor()
    await main.getByText('The disk of the service is full. Retrying in 8 s.').first().waitFor()
    await main.getByText('urn:berth:request:41').first().waitFor()
    await checkAccessible(t, page)
    // It is tried again by itself, too.
    reads.hold(screen.reads)
    await main.getByRole('button', { name: 'Try again' }).first().click()
    await reads.empty()
    await main.getByText(screen.empty).first().waitFor()
    await page.context().setOffline(true)
    await page.getByRole('alert').getByText('Not connected since').waitFor()
    await main.getByText(screen.empty).first().waitFor()
    reads.pass()
    await page.context().setOffline(false)
    await main.getByText(screen.ready).first().waitFor()
    await page.getByText('Not connected since').waitFor({ state: 'detached' })
    t.pass(name)
    await page.unrouteAll()
    if (screen.forbidden === undefined) continue
    const other = await pageOf(screen.forbidden.user)
    await other.goto(`/#/${screen.place}`)
    await other.getByRole('main').getByText(screen.forbidden.text).waitFor()
    await checkAccessible(t, other)
  }
})

test('in Chromium sign-in and the screen of a machine say that they wait, failed, or are not for you', async (t, open) => {
  const service = await start(t)
  const sut_id = await createSut(service.as('admin'), { name: 'bench 1' })
  const window = { start_in: 0, duration: 3_600 }
  const made = await service.as('alice').post('/api/sut_reservation/create', { sut_id, ...window })
  const alice = await open(service)
  const { page } = alice
  const reads = await interceptReads(page)
  await page.goto('/')
  reads.hold(/\/api\/login$/)
  await signIn(alice, 'alice')
  await page.getByRole('button', { name: 'Sign in', exact: true, disabled: true }).waitFor()
  await reads.fail()
  await page.getByRole('alert').getByText('The disk of the service is full.').waitFor()
  await checkAccessible(t, page)
  reads.pass()
  await signIn(alice, 'alice')
  await accountOf(alice, 'alice').waitFor()

  reads.hold(/\/console$/)
  await page.goto(`/#/screen/${made.json._id}`)
  await page.getByRole('status').getByText('Connecting to bench 1…').waitFor()
  await checkAccessible(t, page)
  await reads.fail()
  await page.getByText('The screen could not be opened. Connecting again…').waitFor()
  reads.pass()
  await page.getByText('Another Berth instance forwards this machine').waitFor()
  await checkAccessible(t, page)
  const bob = await open(service, 'bob')
  await bob.page.goto(`/#/screen/${made.json._id}`)
  await bob.page.getByText('Another user holds this reservation.').waitFor()
})
