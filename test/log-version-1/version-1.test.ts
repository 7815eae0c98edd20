import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { type } from '../command-line/terminal.ts'
import { aServer } from '../event-store/eventstoredb/server-and-client.ts'
import { aLogOn } from '../event-store/eventstoredb/subject.ts'
import { EVENTS_OF_START, idOf, people, type Running, start } from '../http/harness.ts'
import { reserved } from '../http/requests.ts'
import { until } from '../http/until.ts'
import { readRows } from '../process/log-rows.ts'
import { aUser, fileOf } from '../users/builders.ts'
import {
  answersOfVersion1,
  CHECKPOINT,
  dataOfVersion1,
  EVENTS,
  idsOfVersion1,
  LATER,
  verifierKey,
} from './version-1.ts'

/** A log written by an older version can always be verified, replayed and served. */

/** Every type of event that version 1 had. */
const TYPES = [
  'ListenPortAssigned',
  'ListenPortReleased',
  'ReservationCancelled',
  'ReservationCreated',
  'ReservationExtended',
  'ReservationReleased',
  'SutCreated',
  'SutCreationAbandoned',
  'SutRetired',
  'SutUpdated',
]

const rowsIn = (data: string) => readRows(join(data, 'events.db'))

const verify = async (t: ExecutionContext, env: Readonly<Record<string, string>>, events: number) => {
  const args = ['verify', '--against', CHECKPOINT, '--key', await verifierKey(), '--json']
  const { code, out, error } = await type(args, env)
  t.deepEqual([code, error], [0, ''], out)
  const { sound, events: found, findings, against } = JSON.parse(out)
  t.deepEqual([sound, found, findings], [true, events, []])
  t.deepEqual([against[0].size, against[0].is_extended], [EVENTS, true])
}

const answersAsBefore = async (t: ExecutionContext, service: Running) => {
  for (const [path, text] of Object.entries(await answersOfVersion1())) {
    t.is((await service.as('audrey').get(path)).text, text, path)
  }
}

test('the version 1 log contains every event type of that version, and reading does not upgrade it', async (t) => {
  const data = await dataOfVersion1(t)
  const env = { BERTH_DATA: data }
  const types = new Set(rowsIn(data).map((row) => row.type))
  t.deepEqual([...types].toSorted(), TYPES)
  await verify(t, env, EVENTS)
  t.is((await type(['export', '--format', 'ndjson'], env)).out.trimEnd().split('\n').length, EVENTS)
  t.regex((await type(['checkpoint'], env)).out, /^berth\n28\n/)
  t.is((await type(['vault', 'status'], env)).code, 0)
  t.is(rowsIn(data).length, EVENTS)
})

test('a start that finds no usable users file does not upgrade the log', async (t) => {
  const data = await dataOfVersion1(t)
  const twice = [await aUser('alice', 'x'), await aUser('ALICE', 'x')]
  await writeFile(join(data, 'users.json'), fileOf(twice))
  await t.throwsAsync(start(t, { data, now: LATER }), { message: /has the name of/ })
  await rm(join(data, 'users.json'))
  await t.throwsAsync(start(t, { data, now: LATER }), { message: /the log has no users, and there is no / })
  t.is(rowsIn(data).length, EVENTS)
})

test('the secrets that version 1 sealed open before and after the upgrade, and after a rotation', async (t) => {
  const data = await dataOfVersion1(t)
  const env = { BERTH_DATA: data }
  const opens = async (expected: number): Promise<void> => {
    const { code, out } = await type(['verify', '--vault', '--json'], env)
    const { secrets, opened } = JSON.parse(out).vault
    t.deepEqual([code, secrets, opened], [0, expected, expected], out)
  }
  await opens(2)
  const service = await start(t, { data, now: LATER })
  // Of each imported user: the name, the password's hash, and the random value that sessions name.
  const all = 2 + 3 * (await people()).length
  await opens(all)
  await service.stop()
  t.is((await type(['vault', 'rotate'], env)).code, 0)
  await opens(all)
})

test('a version 1 log is upgraded once, at the first start, and serves the same answers', async (t) => {
  const data = await dataOfVersion1(t)
  const service = await start(t, { data, now: LATER })
  const { position, stream, data: upgrade, metadata } = rowsIn(data)[EVENTS] as ReturnType<typeof rowsIn>[number]
  t.deepEqual([position, stream, upgrade], [EVENTS, 'listenPorts', { from: 1, to: 2 }])
  t.deepEqual([metadata.actor, metadata.role, metadata.time], ['berth', 'system', LATER])
  t.true(service.log.some(({ sentence }) => sentence.startsWith('log upgraded; older versions of Berth no longer')))
  await until('ready', async () => (await service.anyone.get('/health/ready')).status === 200, 20_000)
  await answersAsBefore(t, service)
  await verify(t, { BERTH_DATA: data }, EVENTS + EVENTS_OF_START)
  t.is((await type(['replay'], { BERTH_DATA: data })).code, 0)
  await service.stop()
  const again = await start(t, { data, now: LATER })
  await until('ready', async () => (await again.anyone.get('/health/ready')).status === 200, 20_000)
  await answersAsBefore(t, again)
  t.is(rowsIn(data).length, EVENTS + EVENTS_OF_START)
})

test('after the upgrade no reservation overlaps one that version 1 released in the same quarter-hour', async (t) => {
  const data = await dataOfVersion1(t)
  const { bench } = await idsOfVersion1()
  const service = await start(t, { data, now: LATER })
  const made = await reserved(service.as('alice'), {
    user_id: idOf('alice'),
    sut_id: bench,
    start_in: 0,
    duration: 60,
  })
  t.deepEqual([made.json.start_time, made.json.end_time], ['2030-05-02T19:05:02+00:00', '2030-05-02T19:15:00+00:00'])
  await verify(t, { BERTH_DATA: data }, EVENTS + EVENTS_OF_START + 1)
})

test('a version 1 log copied to EventStoreDB is upgraded by one of three instances that start together', async (t) => {
  const server = await aServer(t)
  const from = await dataOfVersion1(t)
  const log = aLogOn(server.address)
  const copied = await type(['copy', '--to', log], { BERTH_DATA: from })
  t.deepEqual([copied.code, copied.error], [0, ''])
  await verify(t, { BERTH_EVENT_STORE: log }, EVENTS)
  const services = await Promise.all(
    [1, 2, 3].map(async () => {
      const data = await dataOfVersion1(t)
      return start(t, { data, now: LATER, environment: { BERTH_EVENT_STORE: log } })
    }),
  )
  for (const service of services) {
    await until('ready', async () => (await service.anyone.get('/health/ready')).status === 200, 20_000)
    await answersAsBefore(t, service)
  }
  await verify(t, { BERTH_EVENT_STORE: log }, EVENTS + EVENTS_OF_START)
})
