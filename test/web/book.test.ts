import { start } from '../http/harness.ts'
import { createSut } from '../http/requests.ts'
import { beforeNext, checkAccessible, hasFocus, says, inChromium as test } from './stage.ts'

/** Reserving any machine, in a real browser. */

test('in Chromium a machine is named before it is taken, and the next one when somebody was faster', async (t, open) => {
  const service = await start(t)
  const ids = new Map<string, string>()
  for (const [name, os, rack] of [
    ['bench 1', 'Ubuntu', '1'],
    ['bench 2', 'ubuntu', '2'],
    ['bench 3', 'Windows', '2'],
  ] as const)
    ids.set(name, await createSut(service.as('admin'), { name, os, tags: { rack } }))
  const { page } = await open(service, 'alice')
  await page.getByRole('link', { name: 'Reserve', exact: true }).first().click()
  await page.getByRole('group', { name: 'Operating system' }).getByRole('button', { name: 'Ubuntu' }).click()
  await page.getByText('2 of 3 match, 2 free now').waitFor()
  await checkAccessible(t, page)
  const reserve = page.getByRole('button', { name: /^Reserve bench \d until/ })
  const [named = ''] = /bench \d/.exec((await reserve.textContent()) ?? '') ?? []
  const other = named === 'bench 1' ? 'bench 2' : 'bench 1'
  await beforeNext(page, '**/api/sut_reservation/create', async () => {
    const faster = { sut_id: ids.get(named), start_in: 0, duration: 3_600 }
    await service.as('bob').post('/api/sut_reservation/create', faster)
  })
  await reserve.click()
  await page.getByRole('alert').getByText(`${named} is no longer free. Nothing was booked.`).waitFor()
  await page.getByRole('button', { name: new RegExp(`^Reserve ${other} until`) }).click()
  await says(page, 'status', new RegExp(`^${other} is yours until`))
  await hasFocus(page.getByRole('heading', { name: 'Reserved', exact: true }))
  await checkAccessible(t, page)
  await page.getByRole('button', { name: 'Reserve another' }).click()
  await hasFocus(page.getByRole('heading', { name: 'Best match' }))
  // Both are taken now: the next free time is named.
  await page.getByRole('radio', { name: /next free/ }).waitFor()
  await page.goBack()
  await page.getByText(/^3 of 3 match/).waitFor()
})
