/** Machines, and one machine, in a real browser. */

import { type AddressInfo, createServer } from 'node:net'
import type { ExecutionContext } from 'ava'
import { start } from '../http/harness.ts'
import { aSut } from '../http/requests.ts'
import { until } from '../http/until.ts'
import { checkAccessible, hasFocus, rowOf, inChromium as test } from './stage.ts'

/** Milliseconds for what should happen at once, on a busy machine. */
const SOON = 30_000

/** Something that takes connections. */
const listen = async (t: ExecutionContext): Promise<number> => {
  const server = createServer((socket) => socket.on('error', () => undefined))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void server.close())
  return (server.address() as AddressInfo).port
}

test('in Chromium an administrator adds a machine, which is probed, and imports others from a CSV file', async (t, open) => {
  const service = await start(t)
  const port = await listen(t)
  const { page } = await open(service, 'admin')
  await page.goto('/#/machines')
  await page.getByRole('button', { name: 'Add a machine' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Add a machine' })
  await dialog.getByRole('button', { name: 'TCP' }).click()
  await dialog.getByText('Name, address and port are missing.').waitFor()
  t.true(await dialog.getByRole('button', { name: 'Add', exact: true }).isDisabled())
  await dialog.getByLabel('Name', { exact: true }).fill('plc')
  await dialog.getByLabel('Address').fill('127.0.0.1')
  await dialog.getByLabel('Port').fill('99999')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.getByText('It must be a whole number from 1 to 65535.').waitFor()
  await checkAccessible(t, page)
  await dialog.getByLabel('Name', { exact: true }).fill('plc 1')
  await dialog.getByLabel('Port').fill(String(port))
  await dialog.getByLabel('Tags').fill('rack=3')
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Remove rack=3' }).waitFor()
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.getByText(/^As saved, it answers in \d+ ms\.$/).waitFor()
  await dialog.getByRole('button', { name: 'Done' }).click()
  const row = rowOf(page, 'plc 1')
  await row.getByText('rack').waitFor()

  await page.getByRole('button', { name: 'Import' }).click()
  const importing = page.getByRole('dialog', { name: 'Import machines' })
  const choose = (text: string) =>
    importing.getByLabel('CSV file').setInputFiles({ name: 'lab.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
  await choose('name,address,port,sut_type\nnode 1,node-1,0,vnc\n')
  await importing.getByText('Line 2, port: must be a whole number from 1 to 65535.').waitFor()
  // As browsers say that the same file was chosen, or none.
  await importing.getByLabel('CSV file').dispatchEvent('cancel', { bubbles: true, cancelable: true })
  await choose('name,address,port,sut_type\nnode 1,node-1,5900,vnc\nplc 1,plc-1,5900,vnc\n')
  await importing.getByText('One name is already in use, and would exist twice.').waitFor()
  await choose('name,address,port,sut_type,tag.rack\nnode 1,node-1,5900,vnc,4\nnode 2,node-2,5900,vnc,4\n')
  await importing.getByText('2 machines can be added.').waitFor()
  await checkAccessible(t, page)
  await importing.getByRole('button', { name: 'Add 2 machines' }).click()
  await importing.getByText('2 machines added.').waitFor()
  await importing.getByRole('button', { name: 'Done' }).click()
  await page.getByPlaceholder('Name, tag, person').fill('node')
  await page.getByText(/^2 of \d$/).waitFor()
  await page.waitForURL('**/#/machines?text=node')
  await page.reload()
  await page.getByText(/^2 of \d$/).waitFor()
  await checkAccessible(t, page)
})

test('thorough: in Chromium two edit a machine: what one typed is kept, and the history has both', async (t, open) => {
  const service = await start(t)
  const body = aSut({ name: 'gpu 1', version: '550.90' })
  const id = String((await service.as('admin').post('/api/sut/create', body)).json._id)
  const admin = await open(service, 'admin')
  const alice = await open(service, 'alice')
  const { page } = admin
  await page.goto('/#/machines')
  await page.getByRole('link', { name: 'gpu 1' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit gpu 1' })
  await dialog.getByLabel('Description').fill('Two cards')
  await service.as('admin').post(`/api/sut/${id}/update`, { version: '555.42' })
  await dialog.getByText(/^You changed Version at .* in another tab\. Your edits are kept\.$/).waitFor()
  await checkAccessible(t, page)
  await dialog.getByRole('button', { name: 'Load the new values' }).press('Enter')
  await hasFocus(dialog.getByRole('button', { name: 'Save' }))
  const isLoaded = async () => (await dialog.getByLabel('Version').inputValue()) === '555.42'
  await until('the new values are there', isLoaded, SOON)
  await dialog.getByLabel('Turnaround').selectOption('45 m')
  await dialog.getByLabel('Release if unused').selectOption('15 m')
  await dialog.getByLabel('Reason (kept in the history)').fill('new cards')
  await dialog.getByRole('button', { name: 'Save' }).press('Enter')
  await hasFocus(dialog.getByRole('button', { name: 'Done' }))
  await page.keyboard.press('Enter')
  await hasFocus(page.getByRole('button', { name: 'Edit', exact: true }))
  const history = page.getByRole('region', { name: 'History' })
  await history.getByText('changed version from 550.90 to 555.42').waitFor()
  await history.getByText('new cards').waitFor()
  await checkAccessible(t, page)

  await alice.page.goto(`/#/machines/${id}`)
  await alice.page.getByText('Two cards').waitFor()
  await alice.page.getByText('45 m after each reservation').waitFor()
  await alice.page.getByText('released after 15 m').waitFor()
  t.false(await alice.page.getByRole('heading', { name: 'History' }).isVisible())
  t.false(await alice.page.getByRole('button', { name: 'Edit', exact: true }).isVisible())
  // You released it just now.
  const held = await service.as('admin').post('/api/sut_reservation/create', { sut_id: id, start_in: 0, duration: 900 })
  await service.as('admin').post(`/api/sut_reservation/${held.json._id}/cancel`, {})
  for (const { page: of } of [admin, alice]) await of.locator('.now-state').getByText('Turnaround until').waitFor()
  await page.getByRole('button', { name: /^More/ }).click()
  await page.getByRole('menuitem', { name: 'Retire…' }).click()
  await page.getByText('Retire gpu 1? It is removed from all lists. Its history is kept.').waitFor()
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Retire', exact: true, disabled: true }).waitFor()
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Retire', exact: true }).click()
  await page.getByRole('heading', { name: 'Machines', exact: true }).waitFor()
})
