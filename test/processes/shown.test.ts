import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { type } from '../command-line/terminal.ts'
import { startProtocolServer } from '../event-store/eventstoredb/protocol/protocol-server.ts'
import { aLogOn, openAt } from '../event-store/eventstoredb/subject.ts'
import { recordsOf } from '../event-store/new-events.ts'
import { SHARED_STORE, sharedEnvironment } from '../event-store/shared-store.ts'
import { idOf, temporaryData } from '../http/harness.ts'
import { allEventsOf } from '../http/store/log-rows.ts'
import { isScheduled, untilScheduled } from './recorded.ts'
import { at, stage } from './stage.ts'

/** Where starts and ends are shown: histories, the feed, the command line. */

const server = await startProtocolServer()
test.after.always(server.close)

/** A reservation that began and ended, and one by Bob that began. */
const aStory = async (t: ExecutionContext) => {
  const staged = await stage(t)
  const { service, book, sut_id } = staged
  const id = await book('06:00', '06:15')
  const other = await staged.admin.post('/api/sut_reservation/create', {
    user_id: idOf('bob'),
    sut_id,
    start_time: at('06:15:00'),
    end_time: at('06:30:00'),
  })
  service.clock.set(at('06:15:00.000'))
  await untilScheduled([service], 3)
  return { ...staged, id, other: String(other.json._id) }
}

interface Shown {
  readonly type: string
  readonly data?: { readonly _id: string }
}

const names = (events: unknown): readonly string[] => (events as Shown[]).map(({ type }) => type.slice('berth.'.length))

test('the histories of a SUT and a reservation contain starts and ends, counted and in pages', async (t) => {
  const { service, sut_id, id } = await aStory(t)
  const auditor = service.as('audrey')
  const all = [
    'ListenPortAssigned',
    'SutCreated',
    'ReservationCreated',
    'ReservationCreated',
    'ReservationStarted',
    'ReservationEnded',
    'ReservationStarted',
  ]
  for (const [path, expected] of [
    [`/api/sut/${sut_id}/history`, all],
    [`/api/sut_reservation/${id}/history`, ['ReservationCreated', 'ReservationStarted', 'ReservationEnded']],
  ] as const) {
    const { json } = await auditor.get(path)
    t.deepEqual([names(json.events), json.count], [expected, expected.length], path)
    const paged: string[] = []
    for (let offset = 0; offset < expected.length; offset += 2) {
      const page = await auditor.get(`${path}?limit=2&offset=${offset}`)
      t.is(page.json.count, expected.length)
      paged.push(...names(page.json.events))
    }
    t.deepEqual(paged, expected, path)
  }
})

test('reads as of a start or an end return what was answered then', async (t) => {
  const { service, sut_id, id } = await aStory(t)
  const auditor = service.as('audrey')
  const events = await allEventsOf(service)
  for (const path of [`/api/sut_reservation/${id}`, `/api/sut/${sut_id}`]) {
    const { text } = await auditor.get(path)
    for (const [position, event] of events.entries()) {
      if (!isScheduled(event)) continue
      const then = await auditor.get(`${path}?as_of=${String(position).padStart(20, '0')}`)
      t.deepEqual([then.status, then.text], [200, text], `${path} ${position}`)
    }
  }
})

test('the feed shows starts and ends, by type, SUT and user', async (t) => {
  const { service, sut_id, id, other } = await aStory(t)
  const auditor = service.as('audrey')
  const shown = async (query: string) =>
    ((await auditor.get(`/api/events?${query}`)).json.events as Shown[]).map(({ data }) => data?._id)
  t.deepEqual(await shown(`type=berth.ReservationStarted&sut_id=${sut_id}`), [id, other])
  t.deepEqual(await shown(`type=berth.ReservationStarted&user_id=${idOf('bob')}`), [other])
  t.deepEqual(await shown('type=berth.ReservationEnded'), [id])
  t.is((await shown('type=berth.ScheduleBegan')).length, 1)
})

test('the command line verifies, replays, exports, copies and backs up a log with a schedule', async (t) => {
  const { service, sut_id, id } = await aStory(t)
  const events = (await allEventsOf(service)).map(({ type: name }) => name)
  const data = service.data
  const env = { BERTH_DATA: data, ...sharedEnvironment(data) }
  const run = async (...line: string[]) => {
    const { code, out, error } = await type(line, env)
    t.is(code, 0, `${line[0]}: ${out}${error}`)
    return out
  }
  await run('verify')
  await run('replay')
  const exported = (await run('export', '--format', 'ndjson')).trimEnd().split('\n')
  t.deepEqual(
    exported.map((line) => String(JSON.parse(line).type).replace('berth.', '')),
    events,
  )
  for (const object of [sut_id, id]) {
    t.regex(await run('history', object), /ReservationStarted.*\n(.*\n)*.*ReservationEnded/)
  }
  await service.stop()
  if (SHARED_STORE !== undefined) return
  const backup = join(await temporaryData(t), 'backup')
  await run('backup', backup)
  const to = aLogOn(server.address)
  await run('copy', '--from', `sqlite:${join(backup, 'events.db')}`, '--to', to)
  const copied = await recordsOf(await openAt(t, to, { isReadOnly: true }), -1)
  t.deepEqual(
    copied.map(({ text }) => JSON.parse(text).type),
    events,
  )
})
