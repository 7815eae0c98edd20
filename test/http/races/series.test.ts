import test from 'ava'
import type { Answer } from '../client.ts'
import { aSeries, createSut } from '../requests.ts'
import { startTwo } from './two-services.ts'

const reservationsOf = ({ json }: Answer): readonly { readonly _id: string }[] =>
  json.sut_reservations as readonly { readonly _id: string }[]

test('of series that collide, asked for at once on two services, one is reserved whole', async (t) => {
  const { services } = await startTwo(t)
  const [one, other] = services
  if (one === undefined || other === undefined) return t.fail()
  const sut = await createSut(one.as('admin'))
  const start = new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000 + 86_400_000)
  const end = new Date(start.getTime() + 3_600_000)
  const window = { start_time: start.toISOString(), end_time: end.toISOString(), time_zone: 'UTC' }
  const ask = (service: typeof one, client: number): Promise<Answer> => {
    // Each takes the first day, and others that some of the others take.
    const body = aSeries(sut, { ...window, rrule: `FREQ=DAILY;INTERVAL=${client};COUNT=20` })
    return service.as('admin').post('/api/sut_reservation_series/create', body, { 'Idempotency-Key': `${client}` })
  }
  const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((client) => ask(client % 2 === 0 ? one : other, client)))
  t.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 409, 409, 409, 409, 409])
  const place = answers.findIndex(({ status }) => status === 201)
  const made = answers[place] as Answer
  for (const service of services) {
    const read = await service.as('bob').get(String(made.headers.location))
    t.deepEqual(
      reservationsOf(read).map(({ _id }) => _id),
      reservationsOf(made).map(({ _id }) => _id),
    )
    const { json } = await service.as('bob').get(`/api/sut_reservation?sut_id=${sut}`)
    t.is(json.count, 20)
    t.is((await ask(service, place + 1)).text, made.text, 'a retry on either service')
  }
})
