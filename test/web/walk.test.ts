import { execFile, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { opened } from '../gateway/console/stage.ts'
import { freePort } from '../gateway/peers.ts'
import { PASSWORD, startXvnc } from '../gateway/rfb/xvnc.ts'
import { passwordOf } from '../http/client.ts'
import { people, start } from '../http/harness.ts'
import { until } from '../http/until.ts'
import { areInstalled } from '../tools.ts'
import { checkAccessible, hasFocus, pressFree, rowOf, inChromium as test } from './stage.ts'

/** Milliseconds for what should happen at once, on a busy machine. */
const SOON = 30_000
const TYPED = 'berth was here'

/** An administrator adds a machine that has a VNC server, and a tester, as the empty lab leads to. */
const setUp = async (page: Page, port: number): Promise<void> => {
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await button('Add a machine').click()
  const machine = page.getByRole('dialog', { name: 'Add a machine' })
  await machine.getByLabel('Name', { exact: true }).fill('bench 1')
  await machine.getByLabel('Address').fill('127.0.0.1')
  await machine.getByLabel('Port').fill(String(port))
  await machine.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await button('Add').click()
  await machine.getByText(/^As saved, it answers in \d+ ms/).waitFor()
  await button('Done').click()
  await button('Add a person').click()
  const person = page.getByRole('dialog', { name: 'Add a person' })
  await person.getByLabel('Name', { exact: true }).fill('alice')
  await person.getByLabel('Password').fill(passwordOf('alice'))
  await button('Add').click()
  await person.getByText('alice was added.').waitFor()
  await button('Done').click()
}

test('in Chromium an empty lab is set up, and a tester takes and uses its machine, and releases it', async (t, open) => {
  if (!areInstalled(t, 'Xvnc', 'xterm', 'vncsnapshot')) return
  const { port, directory } = await startXvnc(t)
  const file = join(directory, 'typed')
  const terminal = spawn(
    'xterm',
    ['-display', `:${port}`, '-geometry', '60x20+0+0', '-e', 'sh', '-c', `cat > ${file}`],
    {
      stdio: 'ignore',
    },
  )
  t.teardown(() => terminal.kill())
  const picture = async (name: string): Promise<Buffer> => {
    const path = join(directory, name)
    const options = ['-passwd', join(directory, 'passwd'), '-quiet', '-allowblank', '-encodings', 'raw']
    await promisify(execFile)('vncsnapshot', [...options, `127.0.0.1::${port}`, path], { timeout: SOON })
    return readFile(path)
  }
  const listenPort = await freePort()
  const environment = { BERTH_GATEWAY: 'on', BERTH_LISTEN_PORTS: `${listenPort}-${listenPort}` }
  const service = await start(t, { environment, firstUsers: (await people()).filter(({ name }) => name === 'admin') })
  const admin = await open(service, 'admin')
  await setUp(admin.page, port)
  await admin.page.getByRole('heading', { name: /^Add a person ?, done/ }).waitFor()
  const { page } = await open(service, 'alice')
  const row = rowOf(page, 'bench 1')
  await pressFree(page, 'bench 1')
  await page.getByRole('button', { name: /^Reserve until/ }).click()
  await row.getByRole('gridcell', { name: /^You / }).waitFor()
  const { json } = await service.as('alice').get('/api/sut_reservation')
  const [{ _id }] = json.sut_reservations as [{ _id: string }]
  await opened({ service }, `/api/sut_reservation/${_id}`)
  await row.getByRole('gridcell', { name: /^You .*, in use$/ }).click()
  await page.getByRole('link', { name: 'Open screen' }).click()
  await page.getByText('320 × 200').waitFor()
  await checkAccessible(t, page)
  const before = await picture('before.jpg')
  // Without a window manager the window below the pointer has the focus.
  await page.getByRole('application').hover()
  await page.keyboard.type(`${TYPED}\n`)
  await until('what was typed is on the machine', async () => (await readFile(file, 'utf8')) === `${TYPED}\n`, SOON)
  const isShown = async () => !before.equals(await picture('after.jpg'))
  await until('the screen of the machine shows it', isShown, SOON)
  await page.getByRole('button', { name: 'Extend 30 m' }).first().click()
  await page
    .getByRole('timer')
    .getByText(/^1 h (2|3|4)\d? m left$/)
    .waitFor()
  await page.getByRole('button', { name: 'Release' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Release' }).click()
  await hasFocus(page.getByRole('heading', { name: 'It was released' }))
  await page.getByRole('link', { name: 'Your reservations', exact: true }).click()
  const used = page.getByText(/^Today .*, connected for \d+ m$/)
  await until(
    'it is under Past, with the minutes used',
    async () => {
      service.tick()
      return (await used.count()) === 1
    },
    SOON,
  )
})
