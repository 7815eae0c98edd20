import { join } from 'node:path'
import test from 'ava'
import { type } from '../../command-line/terminal.ts'
import { type Running, start } from '../harness.ts'
import { aReservation, createSut, NOW, REFUSING, reserve } from '../requests.ts'

/** What the metrics say of the whole lab. */

const figureOf = async (service: Running, name: string): Promise<string | undefined> => {
  const { text } = await service.as('audrey').get('/metrics')
  return text
    .split('\n')
    .find((line) => line.startsWith(`${name} `))
    ?.slice(name.length + 1)
}

const figuresOf = async (service: Running, names: readonly string[]) =>
  Promise.all(names.map(async (name) => Number(await figureOf(service, `berth_${name}`))))

test('SUTs are counted by state, each once, without those that are retired', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  for (let n = 0; n < 2; n++) await createSut(admin)
  const retired = await createSut(admin)
  await admin.request('POST', `/api/sut/${retired}/retire`)
  await createSut(admin, { is_active: false })
  const inactive = await createSut(admin, { ...REFUSING, is_active: false })
  await admin.post(`/api/sut/${inactive}/monitoring`, { enabled: true, interval: 86_400 })
  const states = ['online', 'offline', 'unknown', 'not_monitored', 'inactive']
  t.deepEqual(
    await figuresOf(
      service,
      states.map((state) => `suts{state="${state}"}`),
    ),
    [0, 0, 0, 2, 2],
  )
})

test('reservations that run and requests that wait are counted, with the longest wait', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const [sut, other] = [await createSut(admin), await createSut(admin)]
  const figures = () =>
    figuresOf(service, ['reservations_running', 'requests_waiting', 'requests_longest_wait_seconds'])
  t.deepEqual(await figures(), [0, 0, 0])
  const alice = service.as('alice')
  t.is((await reserve(alice, aReservation(sut))).status, 201)
  const ids: unknown[] = []
  for (const at of ['2030-05-02T06:00:10Z', '2030-05-02T06:00:40Z']) {
    service.clock.set(at)
    const asked = { sut_id: sut, duration: 900, wait: 3_600 }
    const waiting = await alice.post('/api/sut_request/create', asked)
    t.is(waiting.status, 201, waiting.text)
    ids.push(waiting.json._id)
  }
  service.clock.set('2030-05-02T06:01:10Z')
  t.deepEqual(await figures(), [1, 2, 60])
  t.is((await alice.request('POST', `/api/sut_request/${ids[0]}/withdraw`)).status, 200)
  t.deepEqual(await figures(), [1, 1, 30])
  t.is((await reserve(service.as('admin'), aReservation(other))).status, 201)
  t.deepEqual(await figures(), [2, 1, 30])
})

test('the versions of Berth and Node are labels', async (t) => {
  const service = await start(t)
  const { text } = await service.as('audrey').get('/metrics')
  t.true(text.includes(`\nberth_build_info{version="2.0.0",node="${process.versions.node}"} 1\n`))
})

test('the time of the last backup is 0 before the first, and that of this log only', async (t) => {
  const service = await start(t)
  const name = 'berth_last_backup_timestamp_seconds'
  t.is(await figureOf(service, name), '0')
  const made = Date.parse('2030-05-02T01:30:00Z')
  const backUp = (directory: string) =>
    type(['backup', join(service.data, directory)], { BERTH_DATA: service.data }, { now: () => made })
  t.is((await backUp('backup')).code, 0)
  t.is(await figureOf(service, name), String(made / 1_000))
  t.is(await figureOf(service, 'berth_certificate_expiry_timestamp_seconds'), 'Nan', 'without TLS')
})
