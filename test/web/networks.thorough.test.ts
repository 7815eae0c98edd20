import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { freePort } from '../gateway/peers.ts'
import { LAB_HOST } from '../http/documents/browser.ts'
import { type Running, start, type Tidying, temporaryData } from '../http/harness.ts'
import { createSut } from '../http/requests.ts'
import { until } from '../http/until.ts'
import { accountOf, enter, pressFree, rowOf, says, signIn, inChromium as test } from './stage.ts'

/** A network between a browser and the service that is slow, loses connections, or goes silent. */
interface SlowNetwork {
  readonly port: number
  /** Connections that were cut so far. */
  readonly lost: () => number
  /** Forwards nothing more of the connections there are, and closes none, as a proxy that has forgotten them. */
  readonly silence: () => void
}

interface Options {
  /** Milliseconds that each piece of data takes, in either direction. */
  readonly delay: number
  /** Every so many pieces of data a connection is cut, from the first such on; never if it is not given. */
  readonly losesEvery?: number
}

const startSlowNetwork = async (
  t: Tidying,
  to: number,
  { delay, losesEvery = Number.POSITIVE_INFINITY }: Options,
): Promise<SlowNetwork> => {
  const sockets = new Set<Socket>()
  let [pieces, lost] = [0, 0]
  const server = createServer((client) => {
    const service = connect({ port: to, host: '127.0.0.1' })
    const cut = (): void => {
      client.destroy()
      service.destroy()
    }
    for (const socket of [client, service]) {
      sockets.add(socket)
      socket.on('error', cut).on('close', cut)
    }
    const pass = (from: Socket, into: Socket): void => {
      from.on('data', (piece) => {
        pieces += 1
        if (pieces % losesEvery === 0) {
          lost += 1
          cut()
        } else setTimeout(() => into.write(piece), delay)
      })
    }
    pass(client, service)
    pass(service, client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const silence = (): void => {
    for (const socket of sockets) socket.removeAllListeners('data').resume()
  }
  return { port: (server.address() as AddressInfo).port, lost: () => lost, silence }
}

/** The page on networks as labs have them: slow, lossy, without TLS, and gone for a while. */

/** Milliseconds for what should happen at once, on a busy machine. */
const SOON = 60_000

const reservationsOf = async (service: Running): Promise<number> =>
  (await service.as('admin').get('/api/sut_reservation')).json.count as number

test('in Chromium with 300 ms and 2 % of loss everything works, and nothing is sent twice', async (t, open) => {
  const service = await start(t)
  await createSut(service.as('admin'), { name: 'bench 1' })
  const network = await startSlowNetwork(t, service.port, { delay: 150, losesEvery: 50 })
  const alice = await open({ url: `http://127.0.0.1:${network.port}` })
  const { page } = alice
  page.setDefaultTimeout(SOON)
  await enter(alice, 'alice')
  for (let round = 1; round <= 4; round++) {
    const row = rowOf(page, 'bench 1')
    await pressFree(page, 'bench 1')
    await page.getByRole('button', { name: /^Reserve until/ }).click()
    const own = row.getByRole('gridcell', { name: /^You .*, in use$/ })
    await own.waitFor()
    t.is(await reservationsOf(service), round)
    await own.click()
    await page.getByRole('button', { name: 'Release' }).click()
    await says(page, 'alert', /^Release bench 1 now/)
    await page.getByRole('button', { name: 'Release' }).click()
    await own.waitFor({ state: 'detached' })
  }
  t.true(network.lost() > 0, 'connections were lost')
})

test('in Chromium what was reserved is not called taken while its answer is on its way', async (t, open) => {
  const service = await start(t)
  await createSut(service.as('admin'), { name: 'bench 1' })
  const { page } = await open(service, 'alice')
  const late = Promise.withResolvers<void>()
  await page.route('**/api/sut_reservation/create', async (route) => {
    const response = await route.fetch()
    await late.promise
    await route.fulfill({ response })
  })
  const row = rowOf(page, 'bench 1')
  await pressFree(page, 'bench 1')
  await page.getByRole('button', { name: /^Reserve until/ }).click()
  await row.getByRole('gridcell', { name: /^You .*, in use$/ }).waitFor()
  const form = page.getByRole('dialog', { name: 'Reserve bench 1' })
  t.true(await form.getByRole('button', { name: /^Reserve until/ }).isVisible())
  t.is(await form.getByRole('alert').count(), 0)
  late.resolve()
  await form.waitFor({ state: 'detached' })
})

test('in Chromium a page of which a file does not come says so, and is loaded again', async (t, open) => {
  const service = await start(t)
  const { page } = await open(service)
  for (const file of ['**/web/*/chunk-*.js', '**/web/*/page.css', '**/web/*/main.js']) {
    await page.route(file, (route) => route.abort())
    await page.goto('/')
    await page.getByRole('alert').getByText('Berth could not be loaded.').waitFor()
    await page.unroute(file)
    await page.getByLabel('Name').waitFor()
    await page.getByRole('alert').waitFor({ state: 'detached' })
  }
  t.pass()
})

const LACKS: readonly (readonly [script: string, says: string])[] = [
  ['delete Intl.Segmenter', 'Berth needs a newer browser'],
  ['delete HTMLElement.prototype.popover', 'Berth needs a newer browser'],
  ['Object.defineProperty(window, "localStorage", { get: () => { throw new Error() } })', 'Berth needs to store data'],
  ['Intl.PluralRules = undefined', 'Berth cannot run in this browser'],
]

for (const [script, says] of LACKS)
  test(`in Chromium a page says once what it lacks: ${script}`, async (t, open) => {
    const { page } = await open(await start(t), undefined, 'complaints')
    await page.clock.install()
    await page.addInitScript(script)
    await page.goto('/')
    await page.getByRole('alert').getByText(says).waitFor()
    await page.evaluate('window.isSamePage = true')
    await page.clock.fastForward('01:00')
    t.true(await page.evaluate('window.isSamePage'))
  })

test('in Chromium the page says that it is cut off, and heals after ten minutes without a reload', async (t, open) => {
  const service = await start(t)
  await createSut(service.as('admin'), { name: 'bench 1' })
  const { page } = await open(service, 'alice')
  await page.clock.install()
  await page.evaluate(`window.isSamePage = true`)
  await page.context().setOffline(true)
  await says(page, 'alert', /^Not connected since/)
  await page.clock.fastForward('10:00')
  await createSut(service.as('admin'), { name: 'bench 2' })
  await page.context().setOffline(false)
  await rowOf(page, 'bench 2').waitFor()
  await page.getByRole('alert').waitFor({ state: 'detached' })
  t.true(await page.evaluate('window.isSamePage'))
})

test('in Chromium a page whose connection has gone silent opens another one', async (t, open) => {
  const service = await start(t)
  const sut_id = await createSut(service.as('admin'), { name: 'bench 1' })
  const network = await startSlowNetwork(t, service.port, { delay: 0 })
  const alice = await open({ url: `http://127.0.0.1:${network.port}` })
  const { page } = alice
  await enter(alice, 'alice')
  await page.clock.install()
  // The page has heard of the service since its clock is the test's.
  await createSut(service.as('admin'), { name: 'bench 2' })
  await rowOf(page, 'bench 2').waitFor()
  network.silence()
  await service.as('bob').post('/api/sut_reservation/create', { sut_id, start_in: 0, duration: 3_600 })
  await page.clock.fastForward('01:00')
  await rowOf(page, 'bench 1')
    .getByRole('gridcell', { name: /^bob .*, in use$/ })
    .waitFor()
  t.pass()
})

test('in Chromium a restart of the service under an open page heals without a reload', async (t, open) => {
  const data = await temporaryData(t)
  const environment = { BERTH_PORT: String(await freePort()) }
  const service = await start(t, { data, environment })
  await createSut(service.as('admin'), { name: 'bench 1' })
  const { page } = await open(service, 'alice')
  await page.evaluate(`window.isSamePage = true`)
  await service.stop()
  await says(page, 'alert', /^Not connected since/)
  const again = await start(t, { data, environment })
  await createSut(again.as('admin'), { name: 'bench 2' })
  await rowOf(page, 'bench 2').waitFor()
  t.true(await page.evaluate('window.isSamePage'))
})

test('in Chromium one tab follows for all of a browser, and another takes over when it is closed', async (t, open) => {
  const service = await start(t)
  const alice = await open(service, 'alice')
  // On a busy machine a tab that has not run for a while is relieved: so not which tab follows, but how many.
  const isOne = async () => /^berth_changes_subscribers 1$/m.test((await service.as('admin').get('/metrics')).text)
  const oneFollows = (when: string) => until(`one tab follows ${when}`, isOne, SOON)
  await oneFollows('alone')
  const second = await alice.page.context().newPage()
  await second.goto('/')
  const rowOf = (name: string) => second.getByRole('row').filter({ hasText: name })
  await createSut(service.as('admin'), { name: 'bench 1' })
  await rowOf('bench 1').waitFor()
  await oneFollows('beside another')
  await alice.page.close()
  await createSut(service.as('admin'), { name: 'bench 2' })
  await rowOf('bench 2').waitFor()
  await oneFollows('after the other was closed')
  t.pass()
})

test('in Chromium the page works over plain HTTP under the name of a lab', async (t, open) => {
  const service = await start(t)
  await createSut(service.as('admin'), { name: 'bench 1' })
  const alice = await open({ url: `http://${LAB_HOST}:${service.port}` })
  const { page } = alice
  await page.goto('/')
  t.false(await page.evaluate('isSecureContext'))
  await signIn(alice, 'alice')
  await accountOf(alice, 'alice').waitFor()
  const row = rowOf(page, 'bench 1')
  await pressFree(page, 'bench 1')
  await page.getByRole('button', { name: /^Reserve until/ }).click()
  await row.getByRole('gridcell', { name: /^You .*, in use$/ }).waitFor()
  await page.getByRole('link', { name: /^Mine/ }).first().click()
  await page.getByRole('article', { name: 'bench 1' }).waitFor()
  await page.getByText('Needs HTTPS.').waitFor()
})

test('in Chromium a page that is open during an update loads itself again once, and then says so', async (t, open) => {
  const service = await start(t)
  const sut_id = await createSut(service.as('admin'), { name: 'bench 1' })
  const made = await service.as('alice').post('/api/sut_reservation/create', { sut_id, start_in: 0, duration: 900 })
  const { page } = await open(service, 'alice')
  let asked = 0
  await page.route('**/rfb-*.js', (route) => {
    asked += 1
    return route.fulfill({ status: 404, headers: { 'Cache-Control': 'no-store' }, body: '' })
  })
  await page.route('**/console', (route) => route.fulfill({ json: { url: '/api/console/none', expires_at: '' } }))
  await page.goto(`/#/screen/${made.json._id}`)
  await page.getByRole('heading', { name: 'Berth was updated' }).waitFor()
  await until('it was tried before and after a reload', () => Promise.resolve(asked === 2), SOON)
  await page.getByRole('button', { name: 'Reload' }).waitFor()
  t.is(asked, 2)
})
