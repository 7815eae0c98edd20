/** What the schedule shows by itself, and what does not move while somebody is at it, in a real browser. */

import { idOf, start } from '../http/harness.ts'
import { aSut, createSut, NOW, REFUSING } from '../http/requests.ts'
import { becomes, monitor } from '../http/routes/suts/monitored.ts'
import { until } from '../http/until.ts'
import {
  accountOf,
  beforeNext,
  checkAccessible,
  enter,
  hasFocus,
  pressFree,
  rowOf,
  says,
  signIn,
  inChromium as test,
} from './stage.ts'

test('in Chromium rows keep their places while the pointer is on the timeline', async (t, open) => {
  const service = await start(t)
  const make = async (name: string): Promise<string> => await createSut(service.as('admin'), { name })
  const [, sut_id] = [await make('rig 2'), await make('rig 3'), await make('rig 4')]
  const { page } = await open(service, 'alice')
  const names = () => page.getByRole('rowheader').locator('bdi').allTextContents()
  await page.getByPlaceholder('Filter machines').fill('rig 2')
  await page.getByRole('button', { name: 'Free now for 1 h 1' }).waitFor()
  await page.getByPlaceholder('Filter machines').fill('')
  await page.getByRole('button', { name: 'Free now for 1 h' }).click()
  const row = rowOf(page, 'rig 3')
  await row.hover()
  await make('rig 1')
  await page.getByRole('button', { name: 'show 1 more' }).waitFor()
  await service.as('bob').post('/api/sut_reservation/create', { sut_id, start_in: 0, duration: 3_600 })
  await row.getByRole('gridcell', { name: /^bob .*, in use$/ }).waitFor()
  t.deepEqual(await names(), ['rig 2', 'rig 3', 'rig 4'], 'it is taken, and stays where it is')
  await page.getByRole('button', { name: 'Today', exact: true }).hover()
  await row.waitFor({ state: 'detached' })
  t.deepEqual(await names(), ['rig 1', 'rig 2', 'rig 4'])
})

test('in Chromium the late answer to a release leaves open what was opened meanwhile', async (t, open) => {
  const service = await start(t)
  const sut_id = await createSut(service.as('admin'), { name: 'bench 1' })
  await createSut(service.as('admin'), { name: 'bench 2' })
  const body = { sut_id, start_in: 0, duration: 3_600, keepalive: 1_800 }
  await service.as('alice').post('/api/sut_reservation/create', body)
  const { page } = await open(service, 'alice')
  const [answered, sent] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route('**/cancel', async (route) => {
    const response = await route.fetch()
    sent.resolve()
    await answered.promise
    await route.fulfill({ response })
  })
  const rowOf = (name: string) => page.getByRole('row').filter({ hasText: name })
  await rowOf('bench 1')
    .getByRole('gridcell', { name: /^You .*, in use$/ })
    .click()
  await page.getByText(/^Kept until .*\d\d:\d\d, then released/).waitFor()
  await page.getByRole('button', { name: 'Release' }).click()
  await says(page, 'alert', /^Release bench 1 now/)
  await page.getByRole('button', { name: 'Release' }).click()
  await sent.promise
  // By key: the popover of the other may be in a pointer's way, depending on the time of day.
  await rowOf('bench 2').getByRole('gridcell', { name: /^Free/ }).first().focus()
  await page.keyboard.press('Enter')
  const reserve = page.getByRole('button', { name: /^Reserve until/ })
  await reserve.waitFor()
  const arrived = page.waitForResponse('**/cancel')
  answered.resolve()
  await (await arrived).finished()
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))')
  await reserve.click()
  await rowOf('bench 2')
    .getByRole('gridcell', { name: /^You .*, in use$/ })
    .waitFor()
})

test('in Chromium the past of the timeline shows when a machine was offline, and why', async (t, open) => {
  const service = await start(t, { now: NOW, environment: { BERTH_GATEWAY_HOST: '127.0.0.1' } })
  const id = await createSut(service.as('admin'), REFUSING)
  const still = await createSut(service.as('admin'), { ...REFUSING, name: 'bench 2' })
  for (const each of [id, still]) {
    await monitor(service, each, { enabled: true, interval: 10 })
    await becomes(service, each, 'Offline')
  }
  service.clock.set('2030-05-02T06:40:00Z')
  await monitor(service, id, { enabled: false })
  service.clock.set('2030-05-02T07:10:00Z')
  const alice = await open(service)
  await alice.page.clock.install({ time: '2030-05-02T07:10:00Z' })
  await alice.page.goto('/')
  await signIn(alice, 'alice')
  await accountOf(alice, 'alice').waitFor()
  await alice.page.getByRole('gridcell', { name: /^Offline \d\d:\d\d–.*, refused the connection$/ }).waitFor()
  await rowOf(alice.page, 'bench 2')
    .getByRole('gridcell', { name: /^Free, .*, offline now$/ })
    .click()
  await alice.page.getByText(/^Offline since \d\d:\d\d\. It may not answer\.$/).waitFor()
})

test('in Chromium any machine like one that was taken is reserved instead, and shown', async (t, open) => {
  const service = await start(t)
  const sut_id = await createSut(service.as('admin'), { name: 'bench 1', os: 'Ubuntu' })
  await createSut(service.as('admin'), { name: 'bench 2', os: 'ubuntu' })
  await createSut(service.as('admin'), { name: 'bench 3', os: 'Windows' })
  const alice = await open(service)
  const { page } = alice
  // Somebody will be faster, and the page cannot know yet: it is told of no change.
  await page.route('**/api/changes*', () => undefined)
  await enter(alice, 'alice')
  await pressFree(page, 'bench 1')
  await beforeNext(page, '**/api/sut_reservation/create', async () => {
    await service.as('bob').post('/api/sut_reservation/create', { sut_id, start_in: 0, duration: 3_600 })
  })
  await page.getByRole('button', { name: /^Reserve until/ }).click()
  const like = page.getByRole('button', { name: /Any similar machine/ })
  await like.click()
  await page.getByRole('dialog', { name: 'Your reservation of bench 2' }).waitFor()
  await page.keyboard.press('Escape')
  await pressFree(page, 'bench 1')
  await page.getByRole('button', { name: /^Reserve until/ }).click()
  await like.click()
  await page.getByText('None of the 2 machines of this kind is free then.').waitFor()
  const answered = page.waitForResponse('**/api/sut_reservation/create')
  await page.getByRole('button', { name: /^bench [12], .* next free$/ }).click()
  t.is((await answered).status(), 201)
  await page.getByRole('dialog', { name: /^Reserve any/ }).waitFor({ state: 'detached' })
  const { json } = await service.as('alice').get(`/api/sut_reservation?user_id=${idOf('alice')}`)
  t.is((json.sut_reservations as unknown[]).length, 2)
})

test('in Chromium a turnaround is drawn, said before one reserves in it, and explained when it is refused', async (t, open) => {
  const service = await start(t)
  const admin = service.as('admin')
  const sut_id = await createSut(admin, { name: 'bench 1', turnaround: 1_800 })
  await service.as('bob').post('/api/sut_reservation/create', { sut_id, start_in: 0, duration: 1_800 })
  const alice = await open(service)
  const { page } = alice
  // The turnaround will be raised, and the page cannot know yet: it is told of no change.
  await page.route('**/api/changes*', () => undefined)
  await enter(alice, 'alice')
  const row = rowOf(page, 'bench 1')
  const turnaround = row.getByRole('gridcell', { name: /^Turnaround until / })
  const until = /\d\d:\d\d/.exec((await turnaround.getAttribute('aria-label')) ?? '')?.[0]
  await turnaround.click()
  const form = page.getByRole('dialog', { name: 'Reserve bench 1' })
  // With its day where that is another one than today.
  await form.getByText(new RegExp(`^It is being reset until (\\w+ )?${until}, after bob.$`)).waitFor()
  await form.getByRole('status').getByText('in a turnaround').waitFor({ state: 'attached' })
  t.true(await form.getByRole('button', { name: 'Reserve', exact: true }).isDisabled())
  await checkAccessible(t, page)
  await form.getByRole('button', { name: new RegExp(`^Start at (\\w+ )?${until}$`) }).click()
  await admin.post(`/api/sut/${sut_id}/update`, { turnaround: 3_600 })
  await form.getByRole('button', { name: /^Reserve until/ }).click()
  const refusal = page.getByRole('dialog', { name: 'bench 1 is being reset then' })
  await refusal.getByText('It needs its turnaround in between.').waitFor()
  await refusal.getByRole('button', { name: /next free/ }).click()
  const own = row.getByRole('gridcell', { name: /^You / })
  await own.waitFor()
  const [held] = (await admin.get(`/api/sut_reservation?user_id=${idOf('alice')}`)).json.sut_reservations as [
    { readonly end_time: string },
  ]
  const [start_time, end_time] = [1, 2].map((hours) =>
    new Date(Date.parse(held.end_time) + hours * 3_600_000).toISOString(),
  )
  const next = await service.as('bob').post('/api/sut_reservation/create', { sut_id, start_time, end_time })
  t.is(next.status, 201)
  await own.click()
  await page.getByRole('group', { name: 'Extend' }).getByRole('button').first().click()
  await page.getByText('It needs its turnaround before the next reservation.').waitFor()
})

test('in Chromium a filter that leaves no machine free now names the next one, and reserves it', async (t, open) => {
  const service = await start(t)
  for (const [name, hours] of [
    ['rig 1', 5],
    ['rig 2', 3],
    ['bench 1', 1],
  ] as const) {
    const sut_id = await createSut(service.as('admin'), { name })
    await service.as('bob').post('/api/sut_reservation/create', { sut_id, start_in: 0, duration: hours * 3_600 })
  }
  const { page } = await open(service, 'alice')
  await page.getByPlaceholder('Filter machines').fill('rig')
  await page.getByRole('button', { name: 'Free now for 1 h' }).click()
  await says(page, 'status', /^The next is rig 2, from /)
  await checkAccessible(t, page)
  await page.getByRole('link', { name: 'Wait for any' }).click()
  await page.getByText('2 of 3 match, none free now').waitFor()
  await page.goBack()
  await page.getByRole('button', { name: 'Reserve it' }).click()
  await page.getByRole('dialog', { name: 'Reserve rig 2' }).waitFor()
  await page.getByRole('button', { name: /^Reserve until/ }).click()
  await rowOf(page, 'rig 2').getByRole('gridcell', { name: /^You/ }).waitFor()
})

test('in Chromium a filter that leaves many machines names the next of them, and says what is left out', async (t, open) => {
  const service = await start(t)
  const [admin, bob] = [service.as('admin'), service.as('bob')]
  const make = async (name: string, hours: number): Promise<void> => {
    const { json } = await admin.post('/api/sut/create', aSut({ name, tags: { asset: name, label: name } }))
    await bob.post('/api/sut_reservation/create', { sut_id: json._id, start_in: 0, duration: hours * 3_600 })
  }
  // The first page of what is free next has no rig.
  await Promise.all(Array.from({ length: 100 }, (_, n) => make(`bench ${n}`, 1)))
  await Promise.all(Array.from({ length: 33 }, (_, n) => make(`rig ${n}`, n === 7 ? 2 : 3)))
  const { page } = await open(service, 'alice')
  await page.getByRole('button', { name: 'Tags' }).click()
  await page.getByText('66 more. Type to find them.').waitFor()
  await page.getByLabel('Search Tags').fill('LABEL rig 32')
  await page.getByRole('group', { name: 'label' }).getByRole('menuitemcheckbox', { name: 'label rig 32' }).waitFor()
  await checkAccessible(t, page)
  await page.keyboard.press('Escape')
  await page.getByPlaceholder('Filter machines').fill('rig')
  await page.getByRole('button', { name: 'Free now for 1 h' }).click()
  await says(page, 'status', /^The next is rig 7, from /)
  await page.getByText('Wait for any ignores the text, which matches 33 machines, more than can be named.').waitFor()
  // A long list of machines is searched, too.
  const { page: feed } = await open(service, 'admin')
  await feed.goto(`${service.url}/#/activity`)
  await feed.getByRole('button', { name: 'Filters' }).click()
  const machine = feed.getByRole('combobox', { name: 'Machine', exact: true })
  await machine.fill('RIG 31')
  await feed.getByRole('option', { name: 'rig 31', selected: true }).waitFor()
  await checkAccessible(t, feed)
  await machine.press('Enter')
  await feed.getByText('You added rig 31').waitFor()
  await feed.getByText('You added rig 7', { exact: false }).waitFor({ state: 'detached' })
})

test('in Chromium a phone that is turned keeps the time at its left edge', async (t, open) => {
  const service = await start(t)
  await createSut(service.as('admin'), { name: 'bench 1' })
  const { page } = await open(service, 'alice')
  await page.setViewportSize({ width: 844, height: 390 })
  const grid = page.getByRole('grid')
  await grid.evaluate((element: Element) => element.scrollTo({ left: 1_400 }))
  for (const [width, height, left] of [
    [390, 844, 933],
    [844, 390, 1_400],
  ] as const) {
    await page.setViewportSize({ width, height })
    const isThere = async () => Math.abs((await grid.evaluate((element: Element) => element.scrollLeft)) - left) <= 2
    await until('the time is at the left edge', isThere, 30_000)
  }
  t.pass()
})

test('in Chromium on a phone the time for which a machine is free reserves it, in a sheet that keeps the focus', async (t, open) => {
  const service = await start(t)
  await createSut(service.as('admin'), { name: 'bench 1' })
  const { page } = await open(service, 'alice')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('button', { name: 'Reserve bench 1 for 1 h' }).getByText('over 24 h').click()
  const sheet = page.getByRole('dialog', { name: 'Reserve bench 1' })
  await hasFocus(sheet.getByLabel('Start'))
  // To the button that closes it, to the browser's own, and round to the last one: nothing under the sheet.
  for (let n = 0; n < 3; n++) await page.keyboard.press('Shift+Tab')
  await hasFocus(sheet.getByRole('button', { name: 'Repeat weekly…' }))
  await checkAccessible(t, page)
  await sheet.getByRole('button', { name: /^Reserve until/ }).click()
  await page.getByRole('gridcell', { name: /^You .*, in use$/ }).waitFor()
})
