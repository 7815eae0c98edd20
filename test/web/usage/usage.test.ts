/** How the lab is used, in a real browser. */

import { readFile } from 'node:fs/promises'
import { idOf, start } from '../../http/harness.ts'
import { createSut } from '../../http/requests.ts'
import { checkAccessible, enter, hasFocus, inChromium as test } from '../stage.ts'

test('in Chromium the use of the lab is drawn, told by a table, taken apart and downloaded', async (t, open) => {
  const service = await start(t)
  const admin = service.as('admin')
  const opened = await open(service, 'admin')
  const { page } = opened
  await page.getByRole('navigation', { name: 'Main', exact: true }).getByRole('link', { name: 'Usage' }).click()
  await page.getByText('No machines yet').waitFor()

  const sut_id = await createSut(admin, { name: 'bench 1', tags: { rack: '7' } })
  await createSut(admin, { name: 'bench 2' })
  await service.as('bob').post('/api/sut_reservation/create', { sut_id, start_in: 0, duration: 3_600 })
  const wish = { sut_id, user_id: idOf('alice'), duration: 3_600 }
  t.is((await service.as('alice').post('/api/sut_request/create', wish)).status, 201)
  await page.reload()
  await page.getByRole('img', { name: 'Hours a day' }).locator('canvas').waitFor()
  const hours = page.getByRole('region', { name: 'Hours a day', exact: true })
  await hours.getByText('As a table').press('Enter')
  const days = hours.getByRole('region', { name: 'Hours a day, as a table' }).getByRole('table')
  t.is(await days.getByRole('row').count(), 31)
  const table = page.getByRole('region', { name: 'Usage by Machine' })
  t.is(await table.getByRole('row').count(), 2)
  await page.getByRole('row', { name: /^bench 2 Nobody reserved it/ }).waitFor()
  const waiting = page.getByRole('region', { name: 'Waiting', exact: true })
  await waiting.getByText('As a table').click()
  await waiting.getByRole('row', { name: /^\w+ \d+ \w+ 1 0 0 0 / }).waitFor()
  await page.getByText('Nothing was refused.').waitFor()
  await checkAccessible(t, page)

  await table.getByRole('button', { name: 'bench 1' }).press('Enter')
  await page.waitForURL(/#\/usage\?key=/)
  await page.reload()
  await page.getByRole('button', { name: 'bench 1', pressed: true }).click()
  await page.getByRole('button', { name: 'Person', exact: true }).click()
  await page.getByRole('region', { name: 'Usage by Person' }).getByRole('button', { name: 'bob' }).waitFor()
  await page.getByRole('button', { name: 'Tag' }).click()
  await page.getByRole('menuitemradio', { name: 'rack' }).click()
  await page.getByRole('region', { name: 'Usage by rack' }).getByRole('button', { name: '7' }).waitFor()
  await page.getByRole('button', { name: '400 days' }).click()
  await page.getByRole('img', { name: 'Hours a week' }).locator('canvas').waitFor()
  await page.getByRole('button', { name: 'Dates' }).click()
  await page.getByRole('textbox', { name: 'First day' }).waitFor()
  t.regex(page.url(), /span=dates&from=\d{4}-\d\d-\d\d&to=\d{4}-\d\d-\d\d&by=tag.rack/)
  const coming = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV' }).click()
  const csv = await readFile(await (await coming).path(), 'utf8')
  t.regex(csv, /^key,name,bucket,held_seconds,used_seconds,/)
  t.regex(csv, /\r\n7,7,/)
  await hasFocus(page.getByRole('button', { name: 'CSV' }))
})

test('thorough: in Chromium a tester sees the machines and their own use, and nobody else', async (t, open) => {
  const service = await start(t)
  const sut_id = await createSut(service.as('admin'), { name: 'bench 1', tags: { rack: '7' } })
  await service.as('bob').post('/api/sut_reservation/create', { sut_id, start_in: 0, duration: 3_600 })
  const opened = await open(service)
  await enter(opened, 'alice')
  const { page } = opened
  await page.goto('/#/usage')
  await page.getByRole('region', { name: 'Usage by Machine' }).getByRole('button', { name: 'bench 1' }).waitFor()
  t.is(await page.getByRole('button', { name: 'Tag' }).count(), 0)
  await page.getByRole('button', { name: 'You' }).click()
  await page.getByText('Nothing was reserved by you in these days.').waitFor()
  t.is(await page.getByText('bob').count(), 0)
})
