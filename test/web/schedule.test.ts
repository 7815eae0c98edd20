/** The schedule, in a real browser: by role and visible text, as people use it. */

import { start } from '../http/harness.ts'
import { createSut } from '../http/requests.ts'
import {
  beforeNext,
  checkAccessible,
  enter,
  hasFocus,
  hasFocusInside,
  pressFree,
  rowOf,
  inChromium as test,
} from './stage.ts'

test('in Chromium one reserves a free machine in two actions, and a colleague sees it without reloading', async (t, open) => {
  const service = await start(t)
  await createSut(service.as('admin'), { name: 'bench 1', os: 'Ubuntu' })
  const long = await createSut(service.as('admin'), { name: 'node-0097-of-the-laboratory-in-rack-b' })
  const alice = await open(service, 'alice')
  const bob = await open(service, 'bob')
  const row = rowOf(alice.page, 'bench 1')
  await pressFree(alice.page, 'bench 1')
  await alice.page.getByRole('dialog', { name: 'Reserve bench 1' }).waitFor()
  await checkAccessible(t, alice.page)
  await alice.page.getByRole('button', { name: /^Reserve until/ }).click()
  await row.getByRole('gridcell', { name: /^You .*, in use$/ }).waitFor()
  await rowOf(bob.page, 'bench 1')
    .getByRole('gridcell', { name: /^alice .*, in use$/ })
    .waitFor()
  await checkAccessible(t, bob.page)
  const streams = alice.requests.filter(({ pathname }) => pathname === '/api/changes')
  t.true(streams[0]?.searchParams.has('after'), 'what changes before the stream begins is told too')
  const name = alice.page.getByRole('link', { name: 'node-0097-of-the-laboratory-in-rack-b', exact: true })
  t.is(await name.getAttribute('href'), `/#/machines/${long}`)
  const [all, end] = await Promise.all([name.boundingBox(), name.getByText('rack-b', { exact: true }).boundingBox()])
  t.true(end !== null && all !== null && end.width > 0 && end.x + end.width <= all.x + all.width, 'the end is seen')
})

test('in Chromium a lab is set up once: it stays so when nothing is left of it', async (t, open) => {
  const service = await start(t)
  const admin = service.as('admin')
  const { page } = await open(service, 'admin')
  await page.getByRole('heading', { name: 'Set up your lab' }).waitFor()
  const sut_id = await createSut(admin, { name: 'bench 1' })
  await page.getByRole('heading', { name: /^Add a machine ?, done/ }).waitFor()
  const { json } = await admin.post('/api/sut_reservation/create', { sut_id, start_in: 3_600, duration: 1_800 })
  await rowOf(page, 'bench 1').waitFor()
  await admin.post(`/api/sut_reservation/${json._id}/cancel`, {})
  await admin.post(`/api/sut/${sut_id}/retire`, undefined)
  await page.getByRole('heading', { name: 'No machines yet' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'No machines yet' }).waitFor()
})

test('thorough: in Chromium a refusal says who has it and offers the next free window, and release frees it', async (t, open) => {
  const service = await start(t)
  const sut = await createSut(service.as('admin'), { name: 'bench 2', os: 'Ubuntu' })
  const alice = await open(service)
  const { page } = alice
  // Somebody will be faster, and the page cannot know yet: it is told of no change.
  await page.route('**/api/changes*', () => undefined)
  await enter(alice, 'alice')
  const row = rowOf(page, 'bench 2')
  await pressFree(page, 'bench 2')
  await beforeNext(page, '**/api/sut_reservation/create', async () => {
    await service.as('bob').post('/api/sut_reservation/create', { sut_id: sut, start_in: 0, duration: 1_800 })
  })
  await page.getByRole('button', { name: /^Reserve until/ }).click()
  await page.getByText('bench 2 was taken').waitFor()
  await page.getByText(/bob.*has it from .*reserved a moment ago/s).waitFor()
  await page.getByRole('button', { name: /next free/ }).click()
  const own = row.getByRole('gridcell', { name: /^You/ })
  await own.waitFor()
  await own.click()
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.getByRole('alert').getByText('Cancel this reservation of bench 2?').waitFor()
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await own.waitFor({ state: 'detached' })
})

test('thorough: in Chromium everything on the schedule works by keyboard', async (t, open) => {
  const service = await start(t)
  await createSut(service.as('admin'), { name: 'bench 3', os: 'Ubuntu' })
  const { page } = await open(service, 'alice')
  await page.getByPlaceholder('Filter machines').fill('bench 3')
  await rowOf(page, 'bench 3').getByRole('gridcell', { name: /^Free/ }).first().focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Reserve bench 3' })
  await dialog.waitFor()
  await hasFocus(page.locator('#start'))
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  const own = rowOf(page, 'bench 3').getByRole('gridcell', { name: /^You/ })
  const reservation = page.getByRole('dialog', { name: 'Your reservation of bench 3' })
  await hasFocusInside(reservation)
  await page.keyboard.press('Escape')
  await hasFocus(own)
  await page.keyboard.press('Delete')
  await hasFocus(reservation.getByRole('button', { name: 'Cancel', exact: true }))
  await page.keyboard.press('Enter')
  await own.waitFor({ state: 'detached' })
  await reservation.waitFor({ state: 'detached' })
  await hasFocusInside(page.getByRole('grid'))
  await page.keyboard.press('w')
  await page.getByRole('button', { name: 'Week', pressed: true }).waitFor()
  await hasFocusInside(page.getByRole('grid'))
  await page.getByRole('button', { name: 'Type', exact: true }).focus()
  await page.keyboard.press('ArrowDown')
  await hasFocus(page.getByRole('menuitemcheckbox', { name: 'VNC' }))
  await page.keyboard.press('Tab')
  await page.getByRole('menu').waitFor({ state: 'detached' })
})
