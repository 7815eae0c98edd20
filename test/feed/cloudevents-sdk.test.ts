/** Compatibility with the CloudEvents SDK, which client programs use. */

import test from 'ava'
import { CloudEvent, HTTP } from 'cloudevents'
import { start } from '../http/harness.ts'
import { aReservation, createSut, NOW, reserved } from '../http/requests.ts'

interface CloudEventJson {
  readonly type: string
  readonly dataschema: string
  readonly data: object
}

test('the CloudEvents SDK accepts every event, in pages and as messages, with all members', async (t) => {
  const service = await start(t, { now: NOW })
  const sut = await createSut(service.as('admin'), { password: 'a' })
  const { headers } = await reserved(service.as('alice'), aReservation(sut))
  await service.as('admin').post(`/api/sut/${sut}/update`, { os: 'linux' }, { 'Berth-Reason': 'new%20disk' })
  t.is((await service.as('alice').post(`${headers.location}/cancel`, {})).status, 200)
  t.is((await service.as('admin').post(`/api/sut/${sut}/retire`, {})).status, 200)
  const events = (await service.as('audrey').get('/api/events')).json.events as readonly CloudEventJson[]
  t.true(events.length >= 6)
  for (const event of events) {
    const strict = new CloudEvent(event as object, true)
    t.deepEqual(JSON.parse(JSON.stringify(strict)), event)
    const message = { headers: { 'content-type': 'application/cloudevents+json' }, body: JSON.stringify(event) }
    t.notThrows(() => (HTTP.toEvent(message) as CloudEvent).validate(), event.type)
  }
})

test('the dataschema of an event is an absolute URI, the $id of a schema listed in /schemas/', async (t) => {
  const service = await start(t, { now: NOW })
  await createSut(service.as('admin'))
  const audrey = service.as('audrey')
  const index = (await audrey.get('/schemas/')).json.schemas as readonly Readonly<Record<string, string>>[]
  for (const { type, dataschema } of (await audrey.get('/api/events')).json.events as readonly CloudEventJson[]) {
    t.regex(String(dataschema), new RegExp(`^urn:berth:schema:${type.replace('berth.', '')}:\\d+$`))
    const href = index.find(({ urn }) => urn === dataschema)?.href
    t.is((await audrey.get(String(href))).json.$id, dataschema)
  }
})
