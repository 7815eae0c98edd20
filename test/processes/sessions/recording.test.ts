import test from 'ava'
import { sessionStream } from '../../../src/domain/values/ids.ts'
import { BEGINS, HERE, MINUTE, stage, THERE } from './stage.ts'

const at = (milliseconds: number): string => new Date(BEGINS + milliseconds).toISOString()

test('sessions wait in order while the store is away, and keep their times', async (t) => {
  const { reserve, run, pass, setTrouble, becomes, events } = await stage(t)
  const reservations = [await reserve(), await reserve()]
  const here = run(HERE)
  setTrouble('unavailable')
  for (const [n, id] of reservations.entries()) {
    here.connected(n, id)
    pass(1_000)
    await here.tick()
    here.disconnected(n, id, { cause: 'released' })
  }
  pass(30 * MINUTE)
  await here.tick()
  t.deepEqual(await events(), [])
  setTrouble(undefined)
  pass(MINUTE)
  await becomes(here, 2, 2)
  const opened = (await events()).flatMap(({ type, data }) => (type === 'SessionOpened' ? [data] : []))
  t.deepEqual(
    opened.map(({ reservation_id, opened_at }) => [reservation_id, opened_at]),
    reservations.map((id, n) => [id, at(n * 1_000)]),
  )
})

test('while the clock is not trusted sessions wait, and abandoned ones stay open', async (t) => {
  const { reserve, run, pass, now, becomes, events, closed } = await stage(t)
  const reservation = await reserve()
  const gone = run(THERE)
  gone.connected(1, reservation)
  await becomes(gone, 1, 0)
  await gone.crash()
  let isTrusted = true
  const trusted = (): boolean => isTrusted
  const here = run(HERE, [], { clock: { now, mayAct: trusted, mayRecord: trusted, confirm: () => undefined } })
  await here.tick()
  isTrusted = false
  here.connected(1, reservation)
  pass(62 * MINUTE)
  here.disconnected(1, reservation, { cause: 'over' })
  for (let n = 0; n < 5; n++) await here.tick()
  t.is((await events()).length, 1)
  isTrusted = true
  await becomes(here, 2, 2)
  const own = (await closed()).find(({ instance }) => instance === HERE)
  t.like(own, { opened_at: at(0), closed_at: at(62 * MINUTE), cause: 'over' })
})

test('sessions of SUTs that cannot be recorded hold up neither others nor the close of abandoned ones', async (t) => {
  const { reserve, run, pass, setTrouble, becomes, events, closed, views } = await stage(t)
  const abandoned = await reserve()
  const gone = run(THERE)
  gone.connected(1, abandoned)
  await becomes(gone, 1, 0)
  await gone.crash()
  const reservations = await Promise.all(Array.from({ length: 40 }, reserve))
  const here = run(HERE)
  const last = reservations.at(-1) as string
  const refused = reservations.slice(0, -1).map((id) => {
    const { sut_id } = JSON.parse(String(views.newest('reservation', id)?.document))
    return sessionStream(sut_id)
  })
  setTrouble('unavailable', (stream) => refused.includes(stream))
  for (const [n, id] of reservations.entries()) here.connected(n + 1, id)
  await becomes(here, 2, 0)
  t.like((await events()).at(-1)?.data, { reservation_id: last })
  pass(61 * MINUTE)
  await becomes(here, 2, 1)
  t.like((await closed())[0], { reservation_id: abandoned, cause: 'lost' })
  setTrouble(undefined)
  pass(2_000)
  await becomes(here, 41, 1)
})

test('a session that begins while too many are waiting is left out, and the others are closed', async (t) => {
  const { reserve, run, pass, setTrouble, becomes, closed } = await stage(t)
  const reservations = [await reserve(), await reserve(), await reserve()] as const
  const here = run(HERE, [], { waitingMax: 2 } as object)
  setTrouble('unavailable')
  for (const [n, id] of reservations.entries()) here.connected(n, id)
  t.deepEqual(here.dropped, [reservations[2]])
  for (const [n, id] of reservations.entries()) here.disconnected(n, id, { cause: 'over' })
  setTrouble(undefined)
  pass(2_000)
  await becomes(here, 2, 2)
  t.deepEqual(here.dropped, [reservations[2], 'caught up'])
  t.deepEqual((await closed()).map(({ reservation_id }) => reservation_id).sort(), reservations.slice(0, 2).sort())
})
