/** What happened in the lab, in a real browser. */

import { idOf, start } from '../http/harness.ts'
import { aSut, createSut } from '../http/requests.ts'
import { checkAccessible, hasFocus, rowOf, inChromium as test } from './stage.ts'

test('in Chromium an administrator reads and filters what happened, and sees the lab as it was', async (t, open) => {
  const service = await start(t)
  const admin = service.as('admin')
  const [first, second] = [
    await createSut(admin, { name: 'rack <b>1</b>' }),
    await createSut(admin, { name: 'rack 2' }),
  ]
  const held = { user_id: idOf('alice'), sut_id: first, start_in: 0, duration: 1_800 }
  await service.as('alice').post('/api/sut_reservation/create', held)
  const { page } = await open(service, 'admin')
  await page.getByRole('navigation', { name: 'Main', exact: true }).getByRole('link', { name: 'Activity' }).click()
  await page.getByText(/^alice reserved rack <b>1<\/b>, /).waitFor()
  await page
    .getByRole('region', { name: 'Newest checkpoint' })
    .getByText(/^berth\S*\+[0-9a-f]{8}$/)
    .waitFor()
  await checkAccessible(t, page)

  const suts = Array.from({ length: 30 }, (_, n) => aSut({ name: `slot ${n}` }))
  await admin.post('/api/sut/import', { suts })
  await page.getByText(/^You added 32 machines, from .* on$/).click()
  await page.getByText('You added slot 29', { exact: true }).waitFor()
  await page.getByText(/^alice reserved rack <b>1<\/b>, /).waitFor()
  await checkAccessible(t, page)

  await admin.post(`/api/sut/${second}/retire`, undefined)
  await page.getByText('You retired rack 2').waitFor()
  await page.getByRole('button', { name: 'Filters', exact: true }).click()
  await page.getByRole('button', { name: 'Reservations', exact: true }).click()
  await page.getByText('You retired rack 2').waitFor({ state: 'detached' })
  await page.getByText(/^alice reserved/).waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await hasFocus(page.getByLabel('Filter', { exact: true }))
  const holders = page.getByRole('region', { name: 'Who had it' })
  await page.route('**/api/sut_reservation?held_at*', (route) => route.fulfill({ json: null }), { times: 1 })
  await holders.getByRole('button', { name: 'Look up' }).click()
  await holders.getByText('The answer could not be shown.').waitFor()
  await holders.getByRole('button', { name: 'Look up' }).click()
  await holders.getByRole('status').waitFor()

  const { json } = await admin.get(`/api/sut/${second}/history`)
  const created = (json.events as { sequence: string; type: string }[]).find(({ type }) => type === 'berth.SutCreated')
  await page.getByRole('button', { name: 'As of now' }).click()
  await page.getByLabel('or after entry').fill(String(Number(created?.sequence)))
  await page.keyboard.press('Enter')
  await page.getByText('Nothing can be changed here.').waitFor()
  await page.getByRole('rowheader').filter({ hasText: 'rack 2' }).waitFor()
  await page.getByRole('gridcell', { name: /^alice/ }).waitFor({ state: 'detached' })
  await rowOf(page, 'rack 2').hover()
  t.is(await page.getByRole('button', { name: /^Reserve/ }).count(), 0, 'nothing can be reserved in the past')
  await checkAccessible(t, page)
  await page.getByRole('rowheader').getByRole('link', { name: 'rack 2' }).click()
  await page.getByText('You added it').waitFor()
  t.is(await page.getByText('You retired it').count(), 0)
  await page.goBack()
  await page.getByRole('button', { name: 'Back to now' }).click()
  await page.getByRole('gridcell', { name: /^alice/ }).waitFor()
  await page.getByRole('rowheader').filter({ hasText: 'rack 2' }).waitFor({ state: 'detached' })
})
