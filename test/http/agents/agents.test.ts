import test, { type ExecutionContext } from 'ava'
import { readRemedies } from '../../../src/http/documents/guide/remedies.ts'
import { idOf, type Tidying } from '../harness.ts'
import { type Lab, lab } from '../lab.ts'
import { aSut } from '../requests.ts'
import { shared } from '../shared.ts'
import { eventsOf } from '../store/log-rows.ts'
import { agentOf, type Said } from './agent.ts'

/** A lab with one machine that runs Linux. */
const given = (t: Tidying): Promise<Lab> => lab(t, {}, { os: 'linux', tags: { rack: '4' } })

/** One in which nobody reserves anything. */
const berth = shared(given)

const LINUX = { match: { os: 'linux' }, duration: 900, reason: 'tests the installer' }

const has = (t: ExecutionContext, { failed, text }: Said, code: string): void => {
  t.true(failed)
  t.regex(text, new RegExp(`"code":"${code}"`))
  t.true(text.includes(`\nWhat to do: ${readRemedies().get(code)}.\n`), text)
  t.notRegex(text, /\]\(/)
}

test('an agent reserves a machine, connects, extends and releases it', async (t) => {
  const berth = await given(t)
  const token = (await berth.ask('admin', `POST /api/user/${idOf('bob')}/token`, { name: 'agent' })).json.token
  const agent = await agentOf(t, berth, `Bearer ${token}`)
  const { sut_reservation_id, ...made } = (await agent.use('reserve_machine', LINUX)).json
  t.like(made, { status: 'granted', keepalive: 1_800, user_name: 'bob' })
  const mine = (await agent.use('list_reservations', { user_id: 'me', current: true })).json
  const [only] = mine.sut_reservations as readonly object[]
  t.like(only, { _id: sut_reservation_id, user_name: 'bob', state: 'running', sut_id: berth.sut })
  t.like((await agent.use('get_connection', { sut_reservation_id, wait: 0 })).json, { sut_type: 'vnc', open: false })
  const longer = await agent.use('extend_reservation', { sut_reservation_id, by: 900, reason: 'one more run' })
  t.false(longer.failed)
  const release = { sut_reservation_id, reason: 'done' }
  const released = await agent.use('release_machine', release)
  t.deepEqual(released, await agent.use('release_machine', release))
  t.deepEqual(JSON.parse(released.text), released.json)
  const events = (await eventsOf(berth)).filter(({ metadata }) => metadata.actor === idOf('bob'))
  const reasons = events.map(({ type, metadata }) => [type, metadata.reason])
  t.deepEqual(reasons, [
    ['ReservationRequested', 'agent: tests the installer'],
    ['RequestOffered', 'agent: tests the installer'],
    ['ReservationCreated', 'agent: tests the installer'],
    ['ReservationExtended', 'agent: one more run'],
    ['ReservationReleased', 'agent: done'],
  ])
  const created = events.find(({ type }) => type === 'ReservationCreated')
  t.is(created?.data.keepalive, 1_800)
})

test('an agent waits for a machine until it is granted, or withdraws', async (t) => {
  const berth = await given(t)
  const [first, second] = [await agentOf(t, berth, 'alice'), await agentOf(t, berth, 'bob', 'legacy')]
  const held = (await first.use('reserve_machine', LINUX)).json
  const asked = (await second.use('reserve_machine', LINUX)).json
  t.is(asked.status, 'waiting')
  t.truthy(asked.keepalive_until)
  const sut_request_id = asked._id
  const waiting = (await second.use('wait_for_machine', { sut_request_id, wait: 0 })).json
  t.like(waiting, { status: 'waiting', position: 0 })
  const granted = second.use('wait_for_machine', { sut_request_id })
  await first.use('release_machine', { sut_reservation_id: held.sut_reservation_id, reason: 'done' })
  t.is((await granted).json.status, 'granted')
  const again = (await first.use('reserve_machine', LINUX)).json
  const withdrawn = await first.use('stop_waiting', { sut_request_id: again._id, reason: 'not needed' })
  t.is(withdrawn.json.status, 'withdrawn')
})

test('an agent finds machines, what is free, and what was', async (t) => {
  const agent = await agentOf(t, berth, 'audrey')
  const [rack, match] = [{ tags: { rack: '4' } }, { match: { os: 'linux', not: { tags: { rack: '5' } } } }]
  t.is((await agent.use('find_machines', rack)).json.count, 1)
  t.is((await agent.use('find_machines', { tags: { rack: '5' } })).json.count, 0)
  t.is(((await agent.use('find_free_time', match)).json.suts as readonly object[]).length, 1)
  t.is((await agent.use('machine_history', { sut_id: berth.sut, limit: 1 })).json.count, 2)
  const span = { from: '2020-01-01T00:00:00+01:00', to: '2020-01-02T00:00:00Z' }
  t.deepEqual((await agent.use('machine_outages', { sut_id: berth.sut, ...span })).json.outages, [])
  t.deepEqual((await agent.use('usage', { ...span, by: 'sut', bucket: 'day' })).json.rows, [])
})

test('an agent is told of those tools that its role may use, in few words', async (t) => {
  const names = async (who: string) => (await (await agentOf(t, berth, who)).tools()).map(({ name }) => name).sort()
  const [admin, tester, auditor] = [await names('admin'), await names('alice'), await names('audrey')]
  t.true(admin.length <= 12)
  t.deepEqual(
    admin.filter((name) => !tester.includes(name)),
    ['machine_history'],
  )
  const WRITES = ['extend_reservation', 'get_connection', 'release_machine', 'reserve_machine', 'stop_waiting']
  t.deepEqual(
    admin.filter((name) => !auditor.includes(name)),
    WRITES,
  )
  const tools = await (await agentOf(t, berth, 'admin')).tools()
  const hinted = (hint: string) =>
    tools.filter(({ annotations = {} }) => annotations[hint as never]).map(({ name }) => name)
  t.deepEqual(hinted('destructiveHint').sort(), ['release_machine', 'stop_waiting'])
  t.deepEqual(
    admin.filter((name) => !hinted('readOnlyHint').includes(name)),
    WRITES.filter((name) => name !== 'get_connection'),
  )
  t.deepEqual(
    admin.filter((name) => !hinted('idempotentHint').includes(name)),
    ['extend_reservation', 'reserve_machine'],
  )
  t.true(JSON.stringify(tools).length < 16_000, `${JSON.stringify(tools).length}`)
  for (const { name, description = '', inputSchema } of tools) {
    t.true(description.length > 40, name)
    t.deepEqual(Object.keys(inputSchema).sort(), ['properties', 'required', 'type'], name)
  }
})

test('a refusal says what to do instead, in the words of the guide', async (t) => {
  const berth = await given(t)
  const [alice, bob] = [await agentOf(t, berth, 'alice'), await agentOf(t, berth, 'bob')]
  const { sut_reservation_id } = (await bob.use('reserve_machine', LINUX)).json
  has(t, await alice.use('release_machine', { sut_reservation_id, reason: 'mine' }), 'not_your_reservation')
  has(t, await alice.use('reserve_machine', { ...LINUX, wait: 0 }), 'no_sut_free')
  has(t, await alice.use('reserve_machine', { duration: 900, reason: 'any' }), 'sut_required')
  has(t, await alice.use('get_connection', { sut_reservation_id: 'none/../x' }), 'reservation_not_found')
  has(
    t,
    await alice.use('release_machine', { sut_reservation_id: '\ud800', reason: '\ud800' }),
    'reservation_not_found',
  )
  await berth.ask('admin', `POST /api/user/${idOf('bob')}/update`, { quota: { hours_per_week: 1 } })
  has(t, await bob.use('reserve_machine', { ...LINUX, duration: 7_200 }), 'quota_exceeded')
  await berth.ask('admin', `POST /api/user/${idOf('alice')}/update`, { scope: 'team=qa2' })
  t.is((await alice.use('find_machines')).json.count, 0)
  has(t, await alice.use('reserve_machine', { sut_id: berth.sut, duration: 900, reason: 'any' }), 'sut_not_found')
  has(t, await bob.use('reserve_machine', { ...LINUX, user_id: idOf('alice') }), 'not_your_request')
  const unknown = await bob.use('find_machines', { nonsense: 1 })
  has(t, unknown, 'invalid')
  t.regex(unknown.text, /nonsense is not a parameter of this route/)
  t.regex((await bob.use('find_machines', { limit: 'many' })).text, /limit must be integer/)
})

test('an answer that would fill a conversation is not sent', async (t) => {
  const suts = Array.from({ length: 100 }, () => aSut({ description: 'x'.repeat(400) }))
  await berth.ask('admin', 'POST /api/sut/import', { suts })
  const agent = await agentOf(t, berth, 'alice')
  const short = await agent.use('find_machines')
  t.is((short.json.suts as readonly object[]).length, 20)
  const long = await agent.use('find_machines', { limit: 100 })
  t.true(long.failed)
  t.regex(long.text, /too long\. Ask for less/)
})
