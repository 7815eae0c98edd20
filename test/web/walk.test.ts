import { execFile, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { opened } from '../gateway/console/stage.ts'
import { freePort } from '../gateway/peers.ts'
import { areInstalled, PASSWORD, startXvnc } from '../gateway/rfb/xvnc.ts'
import { startBrowser } from '../http/documents/browser.ts'
import { start } from '../http/harness.ts'
import { aSut } from '../http/requests.ts'
import { until } from '../http/until.ts'
import { checkAccessible, checkQuiet, openFor } from './stage.ts'

/** Milliseconds for what should happen at once, on a busy machine. */
const SOON = 30_000
const TYPED = 'berth was here'

test('in Chromium one takes a machine, types on its screen, extends, releases, and sees it under Past', async (t) => {
  t.timeout(4 * SOON)
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
  const service = await start(t, { environment })
  const machine = aSut({ name: 'bench 1', address: '127.0.0.1', port, password: PASSWORD, sut_type: 'vnc' })
  await service.as('admin').post('/api/sut/create', machine)
  const alice = await openFor(t, await startBrowser(t, service.url), 'alice')
  if (alice === undefined) return
  const { page } = alice
  const row = page.getByRole('row').filter({ hasText: 'bench 1' })
  await row.hover()
  await row.getByRole('button', { name: 'Reserve bench 1 for 1 h' }).click()
  await page.getByRole('button', { name: /^Reserve until/ }).click()
  const { json } = await service.as('alice').get('/api/sut_reservation')
  const [{ _id }] = json.sut_reservations as [{ _id: string }]
  await opened({ service, listenPort, sutId: '' }, `/api/sut_reservation/${_id}`)
  await row.getByRole('gridcell', { name: /^You .*, in use$/ }).click()
  await page.getByRole('link', { name: 'Open screen' }).click()
  await page.getByText('320 × 200').waitFor()
  await checkAccessible(t, page)
  const before = await picture('before.jpg')
  // Without a window manager the window below the pointer has the focus.
  await page.getByRole('application').hover()
  await page.keyboard.type(`${TYPED}\n`)
  await until('what was typed is on the machine', async () => (await readFile(file, 'utf8')) === `${TYPED}\n`, SOON)
  t.notDeepEqual(await picture('after.jpg'), before, 'the screen of the machine shows it')
  await page.getByRole('button', { name: 'Extend 30 m' }).first().click()
  await page
    .getByRole('timer')
    .getByText(/^1 h (2|3|4)\d? m left$/)
    .waitFor()
  await page.getByRole('button', { name: 'Release' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Release' }).click()
  await page.getByRole('heading', { name: 'You released it' }).waitFor()
  await page.getByRole('link', { name: 'Your reservations', exact: true }).click()
  const used = page.getByText(/^Today .*, used \d+ m$/)
  await until(
    'it is under Past, with the minutes used',
    async () => {
      service.tick()
      return (await used.count()) === 1
    },
    SOON,
  )
  checkQuiet(t, alice, service.url)
})
