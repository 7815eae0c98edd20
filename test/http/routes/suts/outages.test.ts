/** When SUTs were offline, as probes found it. */

import test from 'ava'
import { type Running, start } from '../../harness.ts'
import { refusalOf } from '../../refusals/problems.ts'
import { createSut, NOW, REFUSING } from '../../requests.ts'
import { becomes, monitor } from './monitored.ts'

interface Outages {
  readonly outages: readonly { readonly from: string; readonly to: string | null; readonly cause: string }[]
  readonly unknown: readonly { readonly from: string; readonly to: string }[]
}

const DAY = 'from=2030-05-02T00:00:00Z&to=2030-05-03T02:00:00%2B02:00'

const outagesOf = async (service: Running, id: string, query = DAY): Promise<Outages> => {
  const answer = await service.as('alice').get(`/api/sut/${id}/outages?${query}`)
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.json as unknown as Outages
}

test('an outage that lasts has no end, and nothing is known before the first probe', async (t) => {
  const service = await start(t, { now: NOW, environment: { BERTH_GATEWAY_HOST: '127.0.0.1' } })
  const id = await createSut(service.as('admin'), REFUSING)
  await monitor(service, id, { enabled: true, interval: 10 })
  await becomes(service, id, 'Offline')
  service.clock.set('2030-05-02T06:00:00Z')
  const found = await outagesOf(service, id)
  const [outage] = found.outages
  const from = outage?.from ?? ''
  t.deepEqual(found, {
    outages: [{ from, to: null, cause: 'refused' }],
    unknown: [{ from: '2030-05-02T00:00:00.000Z', to: from }],
  })
  t.true(from > NOW)
  service.clock.set('2030-05-02T07:00:00Z')
  await monitor(service, id, { enabled: false })
  const over = '2030-05-02T07:00:00.000Z'
  service.clock.set('2030-05-02T07:10:00Z')
  t.deepEqual(await outagesOf(service, id, 'from=2030-05-02T06:30:00Z&to=2030-05-02T08:00:00Z'), {
    outages: [{ from, to: over, cause: 'refused' }],
    unknown: [{ from: over, to: '2030-05-02T07:10:00.000Z' }],
  })
  const list = await service.as('audrey').get(`/api/outages?sut_id=${'5'.repeat(24)}&sut_id=${id}&${DAY}`)
  t.deepEqual(list.json, { suts: [{ sut_id: id, ...(await outagesOf(service, id)) }] })
  const again = service.data
  await service.stop()
  const restarted = await start(t, { now: '2030-05-02T07:10:00Z', data: again })
  t.deepEqual((await restarted.as('audrey').get(`/api/outages?sut_id=${id}&${DAY}`)).json, list.json)
})

test('outages of retired SUTs are read, and those of what is not there are not', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const id = await createSut(admin)
  await admin.post(`/api/sut/${id}/retire`, {})
  t.deepEqual(await outagesOf(service, id), {
    outages: [],
    unknown: [{ from: '2030-05-02T00:00:00.000Z', to: '2030-05-02T05:58:11.400Z' }],
  })
  for (const unknown of ['none', '5'.repeat(24)]) {
    t.deepEqual(refusalOf(await admin.get(`/api/sut/${unknown}/outages?${DAY}`)), [404, 'sut_not_found'])
  }
})

const SPAN = 'from=2030-05-01T00:00:00Z&to=2030-05-02T00:00:00Z'
const WRONG: Readonly<Record<string, readonly string[]>> = {
  '/api/sut/none/outages': ['from', 'to'],
  '/api/sut/none/outages?from=2030-05-01T00:00:00Z': ['to'],
  '/api/sut/none/outages?from=x&to=2030-05-01T00:00:00Z': ['from'],
  '/api/sut/none/outages?from=2030-05-01T00:00:00Z&to=2030-05-01T02:00:00%2B02:00': ['to'],
  '/api/sut/none/outages?from=2030-04-01T00:00:00Z&to=2030-05-02T00:00:00.001Z': ['to'],
  '/api/outages': ['from', 'to', 'sut_id'],
  [`/api/outages?${SPAN}`]: ['sut_id'],
  [`/api/outages?${SPAN}&sut_id=${'none,'.repeat(100)}none`]: ['sut_id'],
  [`/api/outages?${SPAN.replaceAll('2030-05', '2030-06')}&sut_id=none`]: ['from'],
}

test('a span that is missing, too long, or yet to come, and too many SUTs, are refused by name', async (t) => {
  const service = await start(t, { now: NOW })
  for (const [path, names] of Object.entries(WRONG)) {
    t.deepEqual(refusalOf(await service.as('alice').get(path)), [422, 'invalid', ...names], path)
  }
  const longest = 'from=2030-04-01T00:00:00Z&to=2030-05-02T00:00:00Z'
  t.deepEqual((await service.as('alice').get(`/api/outages?${longest}&sut_id=none`)).json, { suts: [] })
})
