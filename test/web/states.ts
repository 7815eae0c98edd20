import type { Page, Route } from 'playwright-core'

/** The states of each screen beside the usual one, and how a screen is brought into them. */

export interface ScreenStates {
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
export const screenStates = (machine: string): Readonly<Record<string, ScreenStates>> => ({
  schedule: {
    ...{ place: 'schedule', user: 'alice', reads: /\/api\/sut\?/, failed: 'The schedule could not be loaded' },
    ...{ empty: 'No machines yet', ready: 'bench 1' },
    forbidden: { user: 'carl', text: 'No machine is in your scope' },
  },
  mine: {
    ...{ place: 'mine', user: 'alice', reads: /\/api\/sut_re(servation|quest)\?user_id=/ },
    ...{ failed: 'Your reservations could not be loaded', empty: 'You have no reservations', ready: 'Running' },
    forbidden: { user: 'audrey', text: 'Auditors do not reserve' },
  },
  book: {
    ...{ place: 'book', user: 'alice', reads: /\/api\/sut\?/, failed: 'The machines could not be loaded' },
    ...{ empty: 'No machines yet', ready: 'You would get' },
    forbidden: { user: 'audrey', text: 'Auditors do not reserve' },
  },
  machines: {
    ...{ place: 'machines', user: 'admin', reads: /\/api\/sut\?/, failed: 'The machines could not be loaded' },
    ...{ empty: 'No machines yet', ready: 'bench 1' },
    forbidden: { user: 'carl', text: 'No machine is in your scope' },
  },
  machine: {
    ...{ place: `machines/${machine}`, user: 'admin', reads: /\/api\/sut_reservation\?sut_id=/ },
    ...{ failed: 'The machine could not be loaded', empty: 'Nothing reserved', ready: 'Next 7 days' },
    forbidden: { user: 'carl', text: 'This machine is no longer in your scope.' },
  },
  activity: {
    ...{ place: 'activity', user: 'admin', reads: /\/api\/events\?/, failed: 'The activity could not be loaded' },
    ...{ empty: 'Nothing was recorded yet', ready: 'Today' },
    forbidden: { user: 'alice', text: 'The activity is for administrators and auditors' },
  },
  people: {
    ...{ place: 'people', user: 'admin', reads: /\/api\/user\?include=used/, failed: 'The people could not be loaded' },
    ...{ empty: 'Nobody else yet', ready: 'audrey' },
    forbidden: { user: 'alice', text: 'People are for administrators' },
  },
  account: {
    ...{ place: 'account', user: 'alice', reads: /\/api\/user\/me\/token/, failed: 'The tokens could not be loaded' },
    ...{ empty: 'No tokens. Scripts use one in place of a password.', ready: 'nightly' },
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
export const interceptReads = async (page: Page) => {
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
