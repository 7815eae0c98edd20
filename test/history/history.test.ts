import test, { type ExecutionContext } from 'ava'
import { type } from '../command-line/terminal.ts'
import type { Answer } from '../http/client.ts'
import { type Running, start } from '../http/harness.ts'
import { faultsOf, refusalOf } from '../http/refusals/problems.ts'
import { aReservation, createSut, NOW, reserved } from '../http/requests.ts'
import { canary } from '../http/secrets/secret-requests.ts'
import { allEventsOf } from '../http/store/log-rows.ts'

interface HistoryEvent {
  readonly id: string
  readonly type: string
  readonly subject: string
  readonly sequence: string
  readonly stream: string
  readonly revision: number
  readonly reason?: string
  readonly changes: readonly object[]
}

const eventsIn = ({ json }: Answer): readonly HistoryEvent[] => json.events as readonly HistoryEvent[]

const changed = (path: string, from: unknown, to: unknown) => ({ path, from, to })

const WINDOW = { start_in: 0, duration: 900 }

interface Story {
  readonly service: Running
  readonly sut: string
  readonly cancelled: string
}

/** A SUT that is changed, reserved twice and retired, and another that its history must not show. */
const aStory = async (t: ExecutionContext, password = 's3cret', user_name = 'lab'): Promise<Story> => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const sut = await createSut(admin, { password, user_name, rdp_width: 800 })
  const other = await createSut(admin)
  const { user_id } = aReservation(sut)
  await admin.post(
    `/api/sut/${sut}/update`,
    { os: 'linux', password, rdp_width: 1024 },
    { 'Berth-Reason': 'new%20disk' },
  )
  await admin.post(`/api/sut/${sut}/tags`, { rack: '4', 'a.b': '' })
  const cancelled = String((await reserved(admin, aReservation(sut))).json._id)
  await reserved(admin, aReservation(other))
  await admin.post(`/api/sut_reservation/${cancelled}/extend`, { duration: 1800 })
  await admin.request('POST', `/api/sut_reservation/${cancelled}/cancel`, { 'Berth-Reason': 'Zo%C3%AB%20%F0%9F%98%80' })
  const released = String((await reserved(service.as('alice'), { user_id, sut_id: sut, ...WINDOW })).json._id)
  await service.as('alice').request('POST', `/api/sut_reservation/${released}/cancel`)
  service.clock.set('2030-05-02T05:58:13.400Z')
  await admin.post(`/api/sut/${sut}/tags`, { rack: null })
  await admin.request('POST', `/api/sut/${sut}/retire`)
  return { service, sut, cancelled }
}

const TYPES = [
  'ListenPortAssigned',
  'SutCreated',
  'SutUpdated',
  'SutUpdated',
  'ReservationCreated',
  'ReservationExtended',
  'ReservationCancelled',
  'ReservationCreated',
  'ReservationReleased',
  'SutUpdated',
  'SutRetired',
  'ListenPortReleased',
]

test('the history of a SUT includes its port and reservations, oldest first, even once retired', async (t) => {
  const { service, sut } = await aStory(t)
  const answer = await service.as('audrey').get(`/api/sut/${sut}/history`)
  t.deepEqual([answer.json.limit, answer.json.offset, answer.json.count], [100, 0, TYPES.length])
  const events = eventsIn(answer)
  t.deepEqual(
    events.map(({ type }) => type),
    TYPES.map((type) => `berth.${type}`),
  )
  t.true(events.every(({ subject }) => subject === sut))
  const log = await allEventsOf(service)
  for (const { id, sequence, ...event } of events) {
    const recorded = log[Number(sequence)]
    t.deepEqual([id, event.type], [recorded?.id, `berth.${recorded?.type}`])
    t.regex(sequence, /^\d{20}$/)
  }
  t.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map(({ sequence }) => sequence).toSorted(),
  )
  t.is(answer.headers['berth-position'], String(log.length - 1).padStart(20, '0'))
})

test('each event in a history shows its changes with old and new values, but never the values of secrets', async (t) => {
  const { service, sut } = await aStory(t)
  const [assigned, created, updated, tagged, , extended, cancelled, , released, untagged, retired, givenBack] =
    eventsIn(await service.as('audrey').get(`/api/sut/${sut}/history`)).map(({ changes }) => changes)
  t.deepEqual(assigned, [changed('/listen_port', null, 20_000)])
  t.deepEqual(givenBack, [changed('/listen_port', 20_000, null)])
  for (const change of [
    changed('/name', null, 'bench 4'),
    changed('/is_active', null, true),
    changed('/monitoring/status', null, 'SUT Monitoring Disabled'),
    changed('/rdp_width', null, 800),
    { path: '/password', changed: true },
    { path: '/user_name', changed: true },
  ]) {
    t.true(
      created?.some((each) => JSON.stringify(each) === JSON.stringify(change)),
      change.path,
    )
  }
  t.deepEqual(updated, [
    changed('/os', '', 'linux'),
    changed('/rdp_width', 800, 1024),
    { path: '/password', changed: true },
  ])
  t.deepEqual(tagged, [changed('/tags/a.b', null, ''), changed('/tags/rack', null, '4')])
  t.deepEqual(untagged, [changed('/tags/rack', '4', null)])
  t.deepEqual(extended, [changed('/end_time', '2030-05-02T06:15:00+00:00', '2030-05-02T06:30:00+00:00')])
  t.deepEqual(released, [changed('/end_time', '2030-05-02T06:15:00+00:00', '2030-05-02T05:58:12+00:00')])
  t.deepEqual([cancelled, retired], [[], []])
})

test('the history of a reservation outlives its cancellation, and matches its part of the SUT’s history', async (t) => {
  const { service, sut, cancelled } = await aStory(t)
  const answer = await service.as('alice').get(`/api/sut_reservation/${cancelled}/history`)
  t.is(answer.json.count, 3)
  const ofSut = eventsIn(await service.as('audrey').get(`/api/sut/${sut}/history`))
  t.deepEqual(eventsIn(answer), ofSut.slice(4, 7))
  t.deepEqual(ofSut.map(({ reason }) => reason).filter(Boolean), ['new disk', 'Zoë 😀'])
})

test('a history is paged by offset or by event, and count covers the whole', async (t) => {
  const { service, sut, cancelled } = await aStory(t)
  const audrey = service.as('audrey')
  for (const path of [`/api/sut/${sut}/history`, `/api/sut_reservation/${cancelled}/history`]) {
    const whole = eventsIn(await audrey.get(path))
    for (let limit = 1; limit <= whole.length + 1; limit++) {
      const [byOffset, byEvent]: [HistoryEvent[], HistoryEvent[]] = [[], []]
      for (let offset = 0; offset <= whole.length; offset += limit) {
        const answer = await audrey.get(`${path}?limit=${limit}&offset=${offset}`)
        t.deepEqual([answer.json.limit, answer.json.offset, answer.json.count], [limit, offset, whole.length])
        byOffset.push(...eventsIn(answer))
      }
      for (let after = ''; byEvent.length <= whole.length; ) {
        const part = eventsIn(await audrey.get(`${path}?limit=${limit}${after}`))
        byEvent.push(...part)
        if (part.length < limit) break
        after = `&after=${part.at(-1)?.sequence}`
      }
      t.deepEqual([byOffset, byEvent], [whole, whole])
    }
    t.deepEqual(eventsIn(await audrey.get(`${path}?offset=1000000`)), [])
  }
})

test('an invalid history query is refused, and the error names the parameter', async (t) => {
  const { service, sut, cancelled } = await aStory(t)
  const audrey = service.as('audrey')
  const position = (n: number): string => String(n).padStart(20, '0')
  for (const path of [`/api/sut/${sut}/history`, `/api/sut_reservation/${cancelled}/history`]) {
    for (const [query, name] of [
      ['limit=0', 'limit'],
      ['limit=1001', 'limit'],
      ['before=1', 'before'],
      ['after=9007199254740992', 'after'],
      [`after=${position(4)}`, 'after'],
      [`after=${position(999)}`, 'after'],
      [`after=${position(0)}&offset=0`, 'offset'],
      ['as_of=2030-05-02T05:58:11Z', 'as_of'],
      ['from=2030-05-02T00:00:00Z&to=2030-05-02T00:00:00Z', 'to'],
      ['from=yesterday', 'from'],
      ['include=state', 'include'],
    ]) {
      const answer = await audrey.get(`${path}?${query}`)
      t.deepEqual(refusalOf(answer), [422, 'invalid', name], query)
      t.deepEqual(faultsOf(answer), [])
    }
  }
  for (const id of ['58c38f5d444553252cce0000', 'none']) {
    t.deepEqual(refusalOf(await audrey.get(`/api/sut/${id}/history`)), [404, 'sut_not_found'])
    t.deepEqual(refusalOf(await audrey.get(`/api/sut_reservation/${id}/history`)), [404, 'reservation_not_found'])
  }
})

test('the command line takes the name of a SUT or a user, and says which ones of several', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const environment = { BERTH_DATA: service.data }
  const historyOf = async (name: string): Promise<readonly [string, string]> => {
    const { out, error } = await type(['history', name], environment)
    return [out, error]
  }
  const [lab, other] = [await createSut(admin, { name: 'Lab 1' }), await createSut(admin, { name: 'lab/2' })]
  const byId = await historyOf(lab)
  t.regex(byId[0], /SutCreated/)
  t.deepEqual(await historyOf('lab 1'), byId)
  await admin.post(`/api/sut/${other}/update`, { name: 'LAB 1' })
  t.deepEqual(await historyOf('Lab 1'), await historyOf(lab), 'the very name comes first')
  const several = `berth: several SUTs or users have the name "lab 1"; use an id: ${other}, ${lab}\n`
  t.deepEqual(await historyOf('lab 1'), ['', several])
  t.deepEqual(await historyOf('lab/2'), ['', 'berth: there is no SUT or user "lab/2"\n'])
  await admin.request('POST', `/api/sut/${lab}/retire`)
  t.deepEqual(await historyOf('lab 1'), await historyOf(other), 'a retired one is meant only if there is no other')
  await admin.request('POST', `/api/sut/${other}/retire`)
  t.deepEqual(await historyOf('Lab 1'), await historyOf(lab))
  const made = await admin.post('/api/user/create', { name: 'Zoë', role: 'tester', password: canary() })
  const ofUser = await historyOf(String(made.json._id))
  t.regex(ofUser[0], /UserAdded/)
  t.deepEqual(await historyOf('zoë'), ofUser)
  const ofLab = await historyOf(lab)
  await createSut(admin, { name: lab })
  t.deepEqual(await historyOf(lab), ofLab, 'an id comes before a name')
})
