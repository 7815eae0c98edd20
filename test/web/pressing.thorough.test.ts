/** Buttons that send a command, pressed more than once, in a real browser. */

import type { ExecutionContext } from 'ava'
import type { Locator, Page, Route } from 'playwright-core'
import { idOf, start } from '../http/harness.ts'
import { createSut } from '../http/requests.ts'
import { hasFocus, inChromium as test } from './stage.ts'

const HOUR = { start_in: 0, duration: 3_600 }

/** A double click where a button is, whatever is there by then; `between` is waited for between its clicks. */
const doubleClick = async (page: Page, button: Locator, between?: Locator): Promise<void> => {
  await button.scrollIntoViewIfNeeded()
  const box = await button.boundingBox()
  if (box === null) throw new Error('it is not shown')
  // A wide button is replaced by a narrow one at its start.
  await page.mouse.move(box.x + 20, box.y + box.height / 2)
  for (const clickCount of [1, 2]) {
    await page.mouse.down({ clickCount })
    await page.mouse.up({ clickCount })
    await between?.waitFor()
  }
}

interface Pressed {
  readonly button: Locator
  /** Where its request goes. */
  readonly path: string
  /** What it says until it is answered. */
  readonly doing: string
}

/** Presses a button by keyboard and mouse while its request is under way, which is sent once. */
const pressOften = async (t: ExecutionContext, page: Page, { button, path, doing }: Pressed): Promise<void> => {
  const sent: Route[] = []
  await page.route(path, (route) => void sent.push(route))
  const asked = page.waitForRequest(path)
  await button.press('Enter')
  await doubleClick(page, button.or(page.getByRole('button', { name: doing })))
  await asked
  const busy = page.getByRole('button', { name: doing, disabled: true })
  await busy.waitFor()
  await busy.press('Enter')
  await busy.press('Space')
  await hasFocus(busy)
  t.is(sent.length, 1, doing)
  for (const route of sent) await route.continue()
  await page.unroute(path)
  await busy.waitFor({ state: 'detached' })
}

test('in Chromium a command of Reserve that is pressed again is sent once, and says what it does', async (t, open) => {
  const service = await start(t)
  await createSut(service.as('admin'), { name: 'rig 1', os: 'QNX' })
  const { page } = await open(service, 'alice')
  const match = JSON.stringify({ os: 'QNX' })
  await page.goto(`/#/book?${new URLSearchParams({ match })}`)
  const [main, again] = [page.getByRole('main'), page.getByRole('button', { name: 'Reserve another' })]
  const press = (name: RegExp, path: string, doing: string): Promise<void> =>
    pressOften(t, page, { button: main.getByRole('button', { name }), path, doing })
  await press(/^Reserve rig 1 until/, '**/api/sut_reservation/create', 'Reserving…')
  await page.getByText(/^rig 1 is yours until/).waitFor()
  await again.click()
  await press(/^Join the queue/, '**/api/sut_request/create', 'Joining…')
  await page.getByText('1st in line').waitFor()
  await page.getByRole('button', { name: 'Leave' }).click()
  await press(/^Leave$/, '**/withdraw', 'Leaving…')
  await page.getByText('It was withdrawn.').waitFor()
  await again.click()
  await page.getByRole('switch', { name: 'Repeat weekly' }).press('Space')
  await page.getByText('8 dates, all free').waitFor()
  await press(/^Reserve rig 1 8 times/, '**/api/sut_reservation_series/create', 'Reserving…')
  await page.getByText('rig 1 is yours on 8 dates.').waitFor()
  t.is((await service.as('alice').get(`/api/sut_reservation?user_id=${idOf('alice')}`)).json.count, 9)
  t.is((await service.as('alice').get(`/api/sut_request?user_id=${idOf('alice')}`)).json.count, 1)
})

test('in Chromium a double click on Reserve leaves what it says of the reservation', async (t, open) => {
  const service = await start(t)
  await createSut(service.as('admin'), { name: 'rig 2', os: 'BeOS' })
  const { page } = await open(service, 'admin')
  await page.goto(`/#/book?${new URLSearchParams({ match: JSON.stringify({ os: 'BeOS' }) })}`)
  const note = page.getByText(/^rig 2 is yours until/)
  await doubleClick(page, page.getByRole('button', { name: /^Reserve rig 2 until/ }), note)
  await page.getByRole('button', { name: 'Reserve another' }).waitFor()
  await note.waitFor()
})

test('in Chromium a command of Mine that is pressed again is sent once, and a double click only asks', async (t, open) => {
  const service = await start(t)
  const bob = service.as('bob')
  const [desk, shelf] = [
    await createSut(service.as('admin'), { name: 'desk 1' }),
    await createSut(service.as('admin'), { name: 'shelf 1' }),
  ]
  await bob.post('/api/sut_reservation/create', { sut_id: desk, ...HOUR })
  const day = Math.ceil(Date.now() / 86_400_000) * 86_400_000
  const window = { start_time: new Date(day).toISOString(), end_time: new Date(day + 3_600_000).toISOString() }
  const series = { sut_id: shelf, ...window, rrule: 'FREQ=DAILY;COUNT=5', time_zone: 'UTC' }
  await bob.post('/api/sut_reservation_series/create', series)
  const { page } = await open(service, 'bob')
  await page.goto('/#/mine')
  const running = page.getByRole('article', { name: 'desk 1' })
  const button = (name: string): Locator => page.getByRole('main').getByRole('button', { name, exact: true })
  await pressOften(t, page, { button: button('Extend 30 m'), path: '**/extend', doing: 'Extending…' })
  await doubleClick(page, button('Release'))
  await running.getByText('Release desk 1 now? It becomes free right away.').waitFor()
  await pressOften(t, page, { button: button('Release'), path: '**/cancel', doing: 'Releasing…' })
  await running.waitFor({ state: 'detached' })
  await doubleClick(page, button('Cancel'))
  await page.getByText(/^Cancel this reservation of shelf 1, or all 5/).waitFor()
  await pressOften(t, page, { button: button('Cancel this one'), path: '**/cancel', doing: 'Cancelling…' })
  await button('Cancel').click()
  await pressOften(t, page, { button: button('Cancel all 4'), path: '**/cancel', doing: 'Cancelling…' })
  await button('Cancel').waitFor({ state: 'detached' })
  t.is((await bob.get(`/api/sut_reservation?sut_id=${shelf}`)).json.count, 0)
})
