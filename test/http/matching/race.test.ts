import test from 'ava'
import type { Running } from '../harness.ts'
import { startTwo } from '../races/two-services.ts'
import { createSut, reserve } from '../requests.ts'
import { logOf } from '../store/log-rows.ts'

const [CALLERS, MACHINES] = [64, 10]

/** A day from now, on the services' own clock. */
const tomorrow = ({ clock }: Running) => {
  const start = (Math.floor(clock.now() / 86_400_000) + 1) * 86_400_000
  return { start_time: new Date(start).toISOString(), end_time: new Date(start + 900_000).toISOString() }
}

test('64 callers at two services get each of 10 machines once, and nobody is refused while one is free', async (t) => {
  const { services, data } = await startTwo(t)
  const [first] = services
  const suts = new Set<string>()
  for (let n = 0; n < MACHINES; n++) suts.add(await createSut(first.as('admin'), { tags: { rack: '4' } }))
  const window = tomorrow(first)
  const answers = await Promise.all(
    Array.from({ length: CALLERS }, (_, n) => {
      const service = services[n % services.length] as Running
      const body = { match: { tags: { rack: '4' } }, ...window }
      return reserve(service.as('admin'), body, n % 4 < 2 ? { 'Idempotency-Key': `caller-${n}` } : {})
    }),
  )
  const made = answers.filter(({ status }) => status === 201)
  t.deepEqual(made.map(({ json }) => json.sut_id).sort(), [...suts].sort())
  const refused = answers.filter(({ status }) => status !== 201)
  for (const { json } of refused) t.deepEqual([json.code, json.matching], ['no_sut_free', MACHINES])
  const created = (await logOf({ data })).filter(({ type }) => type === 'ReservationCreated')
  t.is(created.length, MACHINES)
})
