import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { makeRandom, seedOf } from '../../process/random.ts'
import type { Answer, Client } from '../client.ts'
import { temporaryData } from '../harness.ts'
import { type Killable, startKillable } from '../killable.ts'
import { aSeries, createSut, NOW } from '../requests.ts'
import { eventsOf } from '../store/log-rows.ts'
import { until } from '../until.ts'

/** What a crash leaves of series that are made and cancelled. */

const ROUNDS = 12
const SERIES = 4
const COUNT = 120

/** A request with a key of its own, and what it was answered before the crash. */
interface Sent {
  readonly send: (client: Client) => Promise<Answer>
  answered?: Answer
}

const reservationsIn = ({ json }: Answer): number => (json.sut_reservations as readonly object[]).length

test('a series of a killed service is made or cancelled whole or not, and a retry is answered the same', async (t) => {
  t.timeout(300_000)
  const seed = seedOf(process.env)
  t.log(`seed ${seed}`)
  const random = makeRandom(seed)
  const data = await temporaryData(t)
  const setting = { now: NOW, data, environment: { BERTH_LISTEN_PORTS: '20000-20999' } }
  let service: Killable = await startKillable(t, setting)
  const suts: string[] = []
  for (let n = 0; n < ROUNDS * SERIES; n++) suts.push(await createSut(service.as('admin'), { name: `bench ${n}` }))
  let made: readonly string[] = []
  const seen = { answered: 0, lost: 0 }

  for (let round = 0; round < ROUNDS; round++) {
    const creates = suts.slice(round * SERIES, (round + 1) * SERIES).map((sut): Sent => {
      const body = aSeries(sut, { rrule: `FREQ=DAILY;COUNT=${COUNT}` })
      const key = { 'Idempotency-Key': `create-${sut}` }
      return { send: (client) => client.post('/api/sut_reservation_series/create', body, key) }
    })
    const cancels = made.map((id): Sent => {
      const key = { 'Idempotency-Key': `cancel-${id}` }
      return { send: (client) => client.post(`/api/sut_reservation_series/${id}/cancel`, {}, key) }
    })
    const all = [...creates, ...cancels]
    const sending = all.map(async (sent) => {
      // An error is of the connection that the crash cuts.
      const answer = await sent.send(service.as('alice')).catch(() => undefined)
      if (answer !== undefined) sent.answered = answer
    })
    // After some answers, in the middle of what follows.
    const answers = random.below(all.length)
    const isTime = async (): Promise<boolean> => all.filter(({ answered }) => answered !== undefined).length >= answers
    await until(`${answers} are answered`, isTime, 60_000)
    await delay(random.below(40))
    await service.kill()
    await Promise.all(sending)

    const log = await eventsOf({ data })
    const requests = Map.groupBy(
      log.filter(({ type }) => type.startsWith('Reservation')),
      (each) => each.metadata.request_id,
    )
    for (const of of requests.values()) {
      const [first, ...others] = of.map(({ type }) => type)
      const isCreation = first === 'ReservationSeriesCreated'
      t.is(of.length, COUNT + (isCreation ? 1 : 0), 'what a request records is whole')
      t.deepEqual([...new Set(others)], [isCreation ? 'ReservationCreated' : 'ReservationCancelled'])
    }
    service = await startKillable(t, setting)
    const retried: Answer[] = []
    for (const { send, answered } of all) {
      const [retry, again] = [await send(service.as('alice')), await send(service.as('alice'))]
      t.is(reservationsIn(retry), COUNT)
      t.is(again.text, retry.text)
      if (answered !== undefined) t.is(retry.text, answered.text, 'as it was answered')
      retried.push(retry)
      seen.answered += answered === undefined ? 0 : 1
    }
    made = retried.slice(0, creates.length).map(({ json }) => String(json.series_id))
    const types = (await eventsOf({ data })).map(({ type }) => type)
    const count = (of: string): number => types.filter((type) => type === of).length
    t.is(count('ReservationSeriesCreated'), (round + 1) * SERIES, 'each series once')
    t.is(count('ReservationCancelled'), round * SERIES * COUNT)
    seen.lost += types.length - log.length
  }
  t.log(`${seen.answered} requests answered before a crash, ${seen.lost} events only after it`)
})
