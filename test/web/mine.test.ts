/** One's own reservations, in a real browser. */

import { createServer } from 'node:net'
import type { ExecutionContext } from 'ava'
import { freePort } from '../gateway/peers.ts'
import { idOf, type Running, start } from '../http/harness.ts'
import { createSut } from '../http/requests.ts'
import { until } from '../http/until.ts'
import { checkAccessible, hasFocus, inChromium as test } from './stage.ts'

/** Milliseconds for what should happen at once, on a busy machine. */
const SOON = 30_000

const forwarding = async (t: ExecutionContext): Promise<Running> => {
  const port = await freePort()
  return start(t, { environment: { BERTH_GATEWAY: 'on', BERTH_LISTEN_PORTS: `${port}-${port + 3}` } })
}

const DESK = { os: 'Ubuntu', version: '24.04', release_unused_after: 900 }

test('in Chromium one finds Mine with Ctrl K, extends, gives back, cancels and takes again there', async (t, open) => {
  const service = await forwarding(t)
  const [desk, shelf] = [
    await createSut(service.as('admin'), { name: 'desk 1', ...DESK }),
    await createSut(service.as('admin'), { name: 'shelf 1', ...DESK }),
  ]
  const { page } = await open(service, 'alice')
  await page.keyboard.press('Control+k')
  await hasFocus(page.getByRole('combobox'))
  await page.keyboard.type('desk')
  await page.getByRole('option', { name: 'desk 1 Machine' }).waitFor()
  await checkAccessible(t, page)
  await page.getByRole('combobox').fill('mine')
  await page.getByRole('option', { name: /^Mine/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'You have no reservations' }).waitFor()
  const subscribe = page.getByRole('link', { name: 'Subscribe' })
  t.is(await subscribe.getAttribute('href'), `webcal://127.0.0.1:${service.port}/api/user/me/calendar.ics`)
  const as = service.as('alice')
  const reserve = (body: object) => as.post('/api/sut_reservation/create', { user_id: idOf('alice'), ...body })
  await reserve({ sut_id: desk, start_in: 0, duration: 1_800, keepalive: 900 })
  await reserve({ sut_id: shelf, start_in: 7_200, duration: 1_800 })
  const running = page.getByRole('article', { name: 'desk 1' })
  await running.getByText(/^Ubuntu 24.04. Since .*, until/).waitFor()
  await running.getByText(/^Released at .*\d\d:\d\d unless someone connects$/).waitFor()
  await running.getByText(/^Kept until .*\d\d:\d\d, then released unless kept alive/).waitFor()
  await page.getByRole('link', { name: 'Mine 1 running' }).first().waitFor()
  await checkAccessible(t, page)
  const left = (): Promise<string | null> => running.getByRole('timer').getAttribute('aria-label')
  t.regex(String(await left()), /^[234]\d m left$/)
  const asked: string[] = []
  page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`))
  await running.getByRole('button', { name: 'Extend 30 m' }).click()
  await until('it is extended', async () => /^1 h/.test(String(await left())), SOON)
  const hours = page.getByText(/^1 h( \d+ m)?$/)
  await hours.last().waitFor()
  // What is told of the extension is heard before what comes next.
  await createSut(service.as('admin'), { name: 'desk 9', ...DESK })
  await until('the page has heard of it', () => Promise.resolve(asked.includes('GET /api/sut')), SOON)
  t.deepEqual(asked.slice(1), ['GET /api/user/me', 'GET /api/sut'])
  await running.getByRole('button', { name: 'Release' }).click()
  await running.getByText('Release desk 1 now? It becomes free right away.').waitFor()
  await running.getByRole('button', { name: 'Keep it' }).press('Enter')
  await hasFocus(running.getByRole('button', { name: 'Release' }))
  await page.keyboard.press('Enter')
  await running.getByRole('button', { name: 'Release' }).click()
  await page.getByText(/^released .* early$/).waitFor()
  await running.waitFor({ state: 'detached' })
  await hasFocus(page.getByRole('button', { name: 'Extend or shorten' }))
  await page.keyboard.press('Enter')
  await hasFocus(page.getByRole('menuitem').first())
  const earlier = page.getByRole('menuitem', { name: /^Shorten/ })
  await earlier.first().click()
  await page.getByText(/^Shorten to .*\d\d:\d\d\? The rest becomes free right away\.$/).waitFor()
  await page.getByRole('button', { name: 'Shorten', exact: true }).click()
  await page.getByRole('button', { name: 'Shorten', exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.getByText('Cancel this reservation of shelf 1?').waitFor()
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.getByText('cancelled', { exact: true }).waitFor()
  await checkAccessible(t, page)
  await page.getByRole('button', { name: 'Reserve desk 1 again' }).click()
  await page.getByRole('dialog', { name: 'Reserve desk 1' }).waitFor()
})

test('in Chromium Mine and the schedule say that another program has the port of a machine', async (t, open) => {
  const service = await forwarding(t)
  const sut_id = await createSut(service.as('admin'), { name: 'desk 2', ...DESK })
  const as = service.as('admin')
  const reserve = async (start_in: number) =>
    (await as.post('/api/sut_reservation/create', { sut_id, user_id: idOf('admin'), start_in, duration: 1_800 })).json
  const { listen_port } = await reserve(7_200)
  const other = createServer().listen(Number(listen_port), '127.0.0.1')
  t.teardown(() => other.close())
  const { _id } = await reserve(0)
  const connection = async () => (await as.get(`/api/sut_reservation/${_id}/connection`)).json
  await until('it is taken', async () => service.tick() === undefined && (await connection()).last_error !== null, SOON)
  const { page } = await open(service, 'admin')
  await page.goto('/#/mine')
  const problem = page.getByText("Another program on Berth's server uses this port. It opens when that program ends.")
  await problem.waitFor()
  await checkAccessible(t, page)
  await page.goto('/#/schedule')
  await page.getByRole('gridcell', { name: /^You .*, in use$/ }).click()
  await problem.waitFor()
})

test('thorough: in Chromium Mine reads where to connect until it knows', async (t, open) => {
  const service = await forwarding(t)
  const sut_id = await createSut(service.as('admin'), { name: 'desk 3', ...DESK })
  await service.as('bob').post('/api/sut_reservation/create', { sut_id, start_in: 0, duration: 1_800 })
  const { page } = await open(service, 'bob')
  await page.route('**/connection', (route) => route.fulfill({ status: 503, json: {} }), { times: 1 })
  await page.goto('/#/mine')
  await page.getByText('Loading connection details…').waitFor()
  await page.getByRole('button', { name: 'Copy host and port' }).waitFor()
  t.pass()
})

test('thorough: in Chromium Mine shows a series as one row, and cancels one of it or all that has not started', async (t, open) => {
  const service = await forwarding(t)
  const sut = await createSut(service.as('admin'), { name: 'rig 1', ...DESK })
  const { page } = await open(service, 'bob')
  const day = Math.ceil(Date.now() / 86_400_000) * 86_400_000 + 86_400_000
  const window = { start_time: new Date(day).toISOString(), end_time: new Date(day + 3_600_000).toISOString() }
  const series = { sut_id: sut, ...window, rrule: 'FREQ=DAILY;COUNT=60', time_zone: 'UTC' }
  await service.as('bob').post('/api/sut_reservation_series/create', series)
  await page.goto('/#/mine')
  const more = page.getByRole('button', { name: 'every day, 59 more' })
  await more.click()
  await page.getByText('and 9 later').waitFor()
  await checkAccessible(t, page)
  await more.click()
  await page.getByText('and 9 later').waitFor({ state: 'detached' })
  const cancel = page.getByRole('button', { name: 'Cancel', exact: true })
  await cancel.click()
  await page.getByRole('button', { name: 'Cancel this one' }).click()
  await page.getByRole('button', { name: 'every day, 58 more' }).waitFor()
  await cancel.click()
  await checkAccessible(t, page)
  await page.getByRole('button', { name: 'Cancel all 59' }).click()
  await page.getByText('every day, 58 more').waitFor({ state: 'detached' })
  const { json } = await service.as('bob').get(`/api/sut_reservation?sut_id=${sut}`)
  t.is(json.count, 0)
})

test('in Chromium Mine shows more of what is past as long as there is more', async (t, open) => {
  const service = await forwarding(t)
  const sut_id = await createSut(service.as('admin'), { name: 'rig 1', ...DESK })
  const { page } = await open(service, 'bob')
  const time = new Date(Date.now() - 86_400_000).toISOString()
  const start_time = new Date(Math.ceil(Date.now() / 86_400_000 + 1) * 86_400_000).toISOString()
  // The list has those that have not begun, too: what is past is more than what follows them.
  const daily = {
    start_time,
    end_time: start_time.replace('T00', 'T01'),
    rrule: 'FREQ=DAILY;COUNT=30',
    time_zone: 'UTC',
  }
  const { json } = await service.as('bob').post('/api/sut_reservation_series/create', { sut_id, ...daily })
  const ahead = (json.sut_reservations as readonly { readonly _id: string }[]).map((each) => ({
    ...each,
    state: 'ahead',
  }))
  const past = Array.from({ length: 2_500 }, (_, n) => ({
    ...{ _id: String(9_999 - n).padStart(24, '0'), user_id: idOf('bob'), sut_id: '1', sut_name: `rig ${n}` },
    ...{ state: 'over', start_time: time, end_time: time, planned_end_time: time },
  }))
  await page.route(/sut_reservation\?.*cancelled/, (route) => {
    const query = new URL(route.request().url()).searchParams
    const before = query.get('before') ?? 'none'
    const all = [...ahead.toReversed(), ...past].filter(({ _id }) => before === 'none' || _id < before)
    return route.fulfill({ json: { sut_reservations: all.slice(0, Number(query.get('limit'))) } })
  })
  await page.goto('/#/mine')
  const more = page.getByRole('button', { name: 'Show more' })
  const rows = page.getByRole('region', { name: 'Past' }).getByRole('link')
  for (const count of [20, 1_020, 2_020, 2_500]) {
    await until(`there are ${count}`, async () => (await rows.count()) === count, SOON)
    if (count < 2_500) await more.click()
  }
  await more.waitFor({ state: 'detached' })
  t.pass()
})
