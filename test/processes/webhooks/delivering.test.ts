/** What a receiver is sent, over real HTTP. */

import { readdir, readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test from 'ava'
import { idOf } from '../../http/harness.ts'
import { said } from '../../http/lab.ts'
import { aSut, createSut } from '../../http/requests.ts'
import { answering, type Hook, hookLab, type Received, type Receiver, receive, verified } from './receiver.ts'

const changed = (n: number) => ({ description: `change ${n}` })

test('an event is delivered as the feed has it, signed as Standard Webhooks say', async (t) => {
  const receiver = await receive(t)
  const lab = await hookLab(t)
  const hook = await lab.create(receiver.url)
  t.regex(hook.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  await lab.ask('admin', `POST /api/sut/${lab.sut}/update`, changed(1))
  await receiver.takes(1)
  const [first] = receiver.received
  const [fed] = (await lab.ask('admin', 'GET /api/events?type=SutUpdated')).json.events as readonly object[]
  t.deepEqual(first?.event, fed as never)
  t.is(first?.method, 'POST')
  t.is(first?.path, '/hook?token=in-the-vault')
  t.is(first?.headers['content-type'], 'application/cloudevents+json')
  t.is(first?.headers['webhook-id'], first?.event.id)
  t.notThrows(() => verified(hook.secret, first as never))
  t.throws(() => verified(hook.secret, { ...first, body: `${first?.body} ` } as never))
  t.deepEqual(receiver.types(), ['SutUpdated'])
})

test('a webhook is sent what it wants: by type, SUT, user and criteria, from where it is told to begin', async (t) => {
  const receivers = await Promise.all(Array.from({ length: 5 }, () => receive(t)))
  const [byType, bySut, byUser, byMatch, all] = receivers as [Receiver, Receiver, Receiver, Receiver, Receiver]
  const lab = await hookLab(t)
  await lab.create(byType.url, { types: ['berth.SutUpdated', 'SutRetired'] })
  await lab.create(bySut.url, { sut_id: lab.sut })
  await lab.create(byUser.url, { user_id: idOf('alice') })
  await lab.create(byMatch.url, {
    types: ['SutCreated', 'SutUpdated', 'ReservationCreated'],
    match: { os: 'linux', not: { tags: { rack: '4' } } },
  })
  const other = await createSut(lab.as('admin'), { os: 'Linux', address: '192.168.9.6' })
  await lab.ask('admin', `POST /api/sut/${lab.sut}/update`, { os: 'windows' })
  await lab.ask('alice', 'POST /api/sut_reservation/create', { sut_id: other, start_in: 3_600, duration: 900 })
  // A SUT is compared as it is when its event is read.
  await byMatch.takes(2)
  await lab.ask('admin', `POST /api/sut/${other}/tags`, { rack: '4' })
  await lab.ask('admin', `POST /api/sut/${other}/update`, { description: 'not any more' })
  await lab.create(all.url, { after: null })
  const { events } = (await lab.ask('admin', 'GET /api/events?limit=1000')).json as {
    events: readonly { type: string }[]
  }
  const wanted = events.map(({ type }) => type.replace('berth.', '')).filter((type) => !type.startsWith('Webhook'))
  await all.takes(wanted.length)
  await byType.takes(3)
  for (const one of [bySut, byUser]) await one.takes(1)
  t.deepEqual(all.types().toSorted(), wanted.toSorted())
  t.deepEqual(byType.types(), ['SutUpdated', 'SutUpdated', 'SutUpdated'])
  t.deepEqual(bySut.types(), ['SutUpdated'])
  t.deepEqual(byUser.types(), ['ReservationCreated'])
  t.deepEqual(byMatch.types(), ['SutCreated', 'ReservationCreated'])
})

test('events of one SUT come one after the other, those of sixteen SUTs at once', async (t) => {
  const held: ServerResponse[] = []
  const receiver = await receive(t, (response) => void held.push(response))
  const lab = await hookLab(t)
  await lab.create(receiver.url, { types: ['SutCreated', 'ListenPortAssigned'] })
  const suts = Array.from({ length: 20 }, (_, n) => aSut({ address: `192.168.9.${n}` }))
  await lab.ask('admin', 'POST /api/sut/import', { suts })
  await receiver.takes(16)
  t.is(new Set(receiver.received.map(({ event }) => event.subject)).size, 16)
  const first = held.splice(0)
  t.is(first.length, 16)
  receiver.answerWith(answering(204))
  for (const response of first) response.writeHead(204).end()
  await receiver.takes(40)
  for (const events of Map.groupBy(receiver.received, ({ event }) => event.subject).values())
    t.deepEqual(
      events.map(({ event }) => event.type),
      ['berth.ListenPortAssigned', 'berth.SutCreated'],
    )
})

test('a webhook is of a SUT and a user that there are or were', async (t) => {
  const { ask, sut } = await hookLab(t)
  const filters = [{ sut_id: sut }, { user_id: idOf('alice') }, { sut_id: idOf('alice') }, { user_id: 'nobody' }]
  await ask('admin', `POST /api/sut/${sut}/retire`, {})
  await ask('admin', `POST /api/user/${idOf('alice')}/remove`, {})
  const create = (filter: object) => ask('admin', 'POST /api/webhook/create', { url: 'http://127.0.0.1:1/', ...filter })
  const { json } = await create({})
  const update = (filter: object) => ask('admin', `POST /api/webhook/${json._id}/update`, filter)
  const unknown = ['404 sut_not_found #/sut_id', '404 user_not_found #/user_id']
  t.deepEqual((await Promise.all(filters.map(create))).map(said), ['201', '201', ...unknown])
  t.deepEqual((await Promise.all(filters.map(update))).map(said), ['200', '200', ...unknown])
  t.is(said(await update({ sut_id: null, user_id: null })), '200')
})

test('its URL and secret are in no answer, event, log line or file, and deleted when it is removed', async (t) => {
  const receiver = await receive(t, answering(500))
  const lab = await hookLab(t)
  const hook = await lab.create(receiver.url)
  await lab.book('alice', { start_in: 3_600, duration: 900 })
  await receiver.takes(1)
  const shown = await Promise.all(
    ['/api/webhook', `/api/webhook/${hook._id}`, `/api/webhook/${hook._id}/deliveries`, '/api/events?limit=1000'].map(
      async (path) => (await lab.ask('admin', `GET ${path}`)).text,
    ),
  )
  t.like(await lab.shown(hook), { enabled: true, last_failure: { cause: 'status', status: 500 } })
  const isTold = (text: string) => text.includes(hook.secret) || text.includes('in-the-vault')
  t.false(isTold([...shown, JSON.stringify(lab.log), JSON.stringify(lab.answered)].join()))
  await lab.on(hook, 'remove')
  t.is(said(await lab.ask('admin', `GET /api/webhook/${hook._id}`)), '404 webhook_not_found')
  const files = async () =>
    Promise.all((await readdir(lab.data)).map((name) => readFile(join(lab.data, name)).catch(() => '')))
  await lab.stop()
  t.false(isTold((await files()).join()))
  const vault = new DatabaseSync(join(lab.data, 'events.db'), { readOnly: true })
  t.teardown(() => vault.close())
  t.deepEqual(vault.prepare("SELECT field FROM vault WHERE sut_id LIKE 'webhook:%'").all(), [])
})

test('a new secret signs beside the former one for a day', async (t) => {
  const receiver = await receive(t)
  const lab = await hookLab(t)
  const first = await lab.create(receiver.url)
  const second = (await lab.on(first, 'secret')).json as unknown as Hook
  t.not(second.secret, first.secret)
  await lab.ask('admin', `POST /api/sut/${lab.sut}/update`, changed(1))
  await receiver.takes(1)
  for (const { secret } of [first, second]) t.notThrows(() => verified(secret, receiver.received[0] as never))
  lab.clock.set(new Date(lab.clock.now() + 86_400_001).toISOString())
  lab.pass(86_401)
  await lab.ask('admin', `POST /api/sut/${lab.sut}/update`, changed(2))
  await receiver.takes(2)
  const { headers } = receiver.received[1] as Received
  t.is(String(headers['webhook-signature']).split(' ').length, 1)
})

test('a replay sends again what lies after a position, and a start goes on where the last one stopped', async (t) => {
  const receiver = await receive(t)
  const lab = await hookLab(t)
  const hook = await lab.create(receiver.url, { types: ['SutUpdated'] })
  for (const n of [1, 2, 3]) await lab.ask('admin', `POST /api/sut/${lab.sut}/update`, changed(n))
  await receiver.takes(3)
  const second = String(receiver.received[1]?.event.sequence)
  t.is((await lab.on(hook, 'replay', { after: second })).status, 200)
  await receiver.takes(4)
  t.is(receiver.received[3]?.body, receiver.received[2]?.body)
  t.is(said(await lab.on(hook, 'replay', { after: '999999' })), '422 invalid #/after')
  await lab.stop()
  const again = await hookLab(t, { data: lab.data })
  await again.ask('admin', `POST /api/sut/${lab.sut}/update`, changed(4))
  again.tick()
  await receiver.takes(5)
  t.deepEqual(
    receiver.received.slice(4).map(({ event }) => (event.data as { description: string }).description),
    ['change 4'],
  )
})

test('progress is recorded at most every 10 s, and only when something was delivered', async (t) => {
  const receiver = await receive(t)
  const lab = await hookLab(t)
  await lab.create(receiver.url, { types: ['SutUpdated'] })
  const deliver = async (n: number, seconds: number) => {
    await lab.ask('admin', `POST /api/sut/${lab.sut}/update`, changed(n))
    await receiver.takes(n)
    lab.pass(seconds)
  }
  await deliver(1, 1)
  await lab.untilRecorded('WebhookAdvanced')
  for (const [n, seconds] of [4, 4, 9].entries()) await deliver(n + 2, seconds)
  await lab.untilRecorded('WebhookAdvanced', 2)
  await lab.ask('admin', `POST /api/sut/${lab.sut}/tags`, { rack: '4' })
  lab.pass(3_600)
  await deliver(5, 1)
  t.is((await lab.untilRecorded('WebhookAdvanced', 3)).length, 3)
})

test('a test is sent once, signed, also to a webhook of which nothing else is', async (t) => {
  const receiver = await receive(t)
  const lab = await hookLab(t)
  const hook = await lab.create(receiver.url, { types: ['SutRetired'] })
  const { json } = await lab.on(hook, 'test')
  t.like(json, { type: 'berth.Test', position: null, attempt: 1, status: 204, cause: null })
  t.notThrows(() => verified(hook.secret, receiver.received[0] as never))
  t.deepEqual(await lab.deliveriesOf(hook), [json as never])
  receiver.answerWith(answering(410))
  t.like((await lab.on(hook, 'test')).json, { status: 410, cause: 'status' })
  t.like(await lab.shown(hook), { enabled: true, last_failure: null })
})
