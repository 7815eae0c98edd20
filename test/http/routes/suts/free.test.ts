import test from 'ava'
import type { Client } from '../../client.ts'
import { start } from '../../harness.ts'
import { refusalOf } from '../../refusals/problems.ts'
import { aReservation, createSut, NOW, reserved } from '../../requests.ts'
import '../../documents/fit-answers.ts'

/** SUTs that are free in a whole span. */

const at = (time: string): string => `2030-05-02T${time}Z`
const spanOf = (from: string, to: string): string => `free_from=${at(from)}&free_to=${at(to)}`

const names = async (client: Client, query: string): Promise<string> => {
  const { json, text, status } = await client.get(`/api/sut?${query}`)
  if (status !== 200) throw new Error(text)
  const found = json.suts as readonly { readonly name: string }[]
  if (json.count !== found.length) throw new Error(`count is ${json.count}`)
  return found
    .map(({ name }) => name)
    .toSorted()
    .join(' ')
}

const book = (client: Client, sut: string, from: string, to: string) =>
  reserved(client, aReservation(sut, { start_time: at(from), end_time: at(to) }))

test('SUTs are free in a span if they are active and no reservation overlaps it on the grid', async (t) => {
  const service = await start(t, { now: NOW })
  const [admin, alice] = [service.as('admin'), service.as('alice')]
  const [a = '', b = '', c = ''] = [
    await createSut(admin, { name: 'a' }),
    await createSut(admin, { name: 'b' }),
    await createSut(admin, { name: 'c' }),
  ]
  await createSut(admin, { name: 'inactive', is_active: false })
  await admin.post(`/api/sut/${await createSut(admin, { name: 'retired' })}/retire`, {})
  await book(alice, a, '07:00:00', '08:00:00')
  await book(alice, b, '08:00:00', '09:00:00')
  const cancelled = await book(alice, c, '07:00:00', '09:00:00')
  t.is(await names(alice, spanOf('07:30:00', '08:30:00')), '')
  await alice.post(`/api/sut_reservation/${cancelled.json._id}/cancel`, {})
  t.is(await names(alice, spanOf('07:30:00', '08:30:00')), 'c')
  t.is(await names(alice, spanOf('07:59:59', '08:00:00')), 'b c')
  t.is(await names(alice, spanOf('08:00:00', '08:00:01')), 'a c')
  t.is(await names(alice, spanOf('06:00:00', '07:00:00')), 'a b c')
  t.is(await names(alice, `${spanOf('06:46:00', '07:00:01')}&name=B`), 'b')
  t.is(await names(alice, `${spanOf('06:46:00', '07:00:01')}&is_active=false`), '')
})

test('what is past of a span does not count, and what was released is free again', async (t) => {
  const service = await start(t, { now: NOW })
  const [admin, alice] = [service.as('admin'), service.as('alice')]
  const sut = await createSut(admin, { name: 'a' })
  const running = await book(alice, sut, '05:45:00', '06:15:00')
  t.is(await names(alice, spanOf('04:00:00', '06:00:00')), '')
  await alice.post(`/api/sut_reservation/${running.json._id}/cancel`, {})
  t.is(await names(alice, spanOf('04:00:00', '06:00:00')), 'a')
  const past = await alice.get(`/api/sut?${spanOf('04:00:00', '05:45:00')}`)
  t.deepEqual(refusalOf(past), [422, 'invalid', 'free_to'])
  service.clock.set('2030-05-02T05:59:59.900Z')
  t.is(await names(alice, spanOf('05:59:59', '06:00:00')), 'a')
})

const WRONG: Readonly<Record<string, readonly string[]>> = {
  'free_from=2030-05-02T06:00:00Z': ['free_from'],
  'free_to=2030-05-02T06:00:00Z': ['free_to'],
  'free_from=x&free_to=2030-05-02T06:00:00Z': ['free_from'],
  [spanOf('07:00:00', '07:00:00')]: ['free_to'],
  [`${spanOf('06:00:00', '07:00:00')}&as_of=0&retired=true`]: ['retired', 'as_of'],
}

test('half a span, one that ends before it begins, and other times beside it are refused', async (t) => {
  const service = await start(t, { now: NOW })
  for (const [query, names] of Object.entries(WRONG)) {
    t.deepEqual(refusalOf(await service.as('audrey').get(`/api/sut?${query}`)), [422, 'invalid', ...names], query)
  }
})
