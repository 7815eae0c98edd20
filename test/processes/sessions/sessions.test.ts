import test from 'ava'
import { sessionStream } from '../../../src/domain/values/ids.ts'
import { BEGINS, HERE, MINUTE, stage, THERE } from './stage.ts'

const at = (milliseconds: number): string => new Date(BEGINS + milliseconds).toISOString()

test('a gap below a minute belongs to the session, a minute ends it with its last connection', async (t) => {
  const { reserve, run, pass, becomes, closed } = await stage(t)
  const reservation = await reserve()
  const here = run(HERE)
  here.connected(1, reservation)
  await becomes(here, 1, 0)
  here.counted(1, reservation, 1)
  pass(1_000)
  here.disconnected(1, reservation)
  pass(MINUTE - 1)
  await here.tick()
  here.connected(2, reservation)
  pass(1_000)
  here.disconnected(2, reservation, { cause: 'sut' })
  pass(MINUTE)
  here.connected(3, reservation)
  await becomes(here, 2, 1)
  const [first] = await closed()
  t.like(first, { opened_at: at(0), closed_at: at(MINUTE + 1_999), connections: 2, cause: 'sut' })
  t.like(first, { bytes_to_sut: 2, bytes_from_sut: 4, instance: HERE, reservation_id: reservation })
})

test('a SUT is in use while a session of it is open, between connections and for other instances too', async (t) => {
  const { reserve, run, pass, becomes, events } = await stage(t)
  const reservation = await reserve()
  const [here, there] = [run(HERE), run(THERE)]
  here.connected(1, reservation)
  await becomes(here, 1, 0)
  const [opened] = await events()
  const sutId = opened?.type === 'SessionOpened' ? opened.data.sut_id : ''
  await there.tick()
  t.deepEqual([here.isInUse(sutId), there.isInUse(sutId), here.isInUse(reservation)], [true, true, false])
  here.disconnected(1, reservation)
  pass(MINUTE - 1)
  await here.tick()
  t.deepEqual([here.isInUse(sutId), there.isInUse(sutId)], [true, true], 'in a gap')
  pass(1)
  await becomes(here, 1, 1)
  t.deepEqual([here.isInUse(sutId), there.isInUse(sutId)], [false, false])
})

test('a SUT is in use although its session could not be recorded yet', async (t) => {
  const { reserve, run, setTrouble, views, events } = await stage(t)
  const reservation = await reserve()
  const { sut_id } = JSON.parse(views.newest('reservation', reservation)?.document ?? '')
  const here = run(HERE)
  setTrouble('unavailable')
  here.connected(1, reservation)
  await here.tick()
  t.deepEqual([await events(), here.isInUse(sut_id)], [[], true])
})

test('the end of the reservation ends a session at once', async (t) => {
  const { reserve, run, over, becomes, closed } = await stage(t)
  const [cut, left] = [await reserve(), await reserve()]
  const here = run(HERE)
  here.connected(1, cut)
  here.connected(2, cut)
  here.connected(3, left)
  here.disconnected(3, left)
  await becomes(here, 2, 0)
  for (const id of [cut, left]) over(id)
  here.disconnected(1, cut, { cause: 'released' })
  here.disconnected(2, cut, { cause: 'released' })
  await becomes(here, 2, 2)
  t.deepEqual((await closed()).map(({ cause }) => cause).toSorted(), ['client', 'released'])
})

test('binding a reservation elsewhere does not end its session, barring its holder does', async (t) => {
  const { reserve, run, over, pass, becomes, closed } = await stage(t)
  const [bound, barred] = [await reserve(), await reserve()]
  const here = run(HERE)
  here.connected(1, bound)
  here.connected(2, barred)
  await becomes(here, 2, 0)
  here.disconnected(1, bound, { cause: 'barred' })
  over(barred)
  here.disconnected(2, barred, { cause: 'barred' })
  await becomes(here, 2, 1)
  t.like((await closed())[0], { reservation_id: barred, cause: 'barred' })
  pass(MINUTE - 1)
  here.connected(3, bound)
  here.disconnected(3, bound, { cause: 'client' })
  pass(MINUTE)
  await becomes(here, 2, 2)
  t.like((await closed())[1], { reservation_id: bound, connections: 2, cause: 'client' })
})

test('with the store away sessions wait in order, and keep their times', async (t) => {
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

test('a clock that jumps while sessions are recorded holds up those that still wait', async (t) => {
  const { reserve, run, now, setTrouble, becomes, events } = await stage(t)
  const reservation = await reserve()
  let isTrusted = false
  const trusted = (): boolean => isTrusted
  const here = run(HERE, [], { clock: { now, mayAct: trusted, mayRecord: trusted, confirm: () => undefined } })
  for (const connection of [1, 2]) {
    here.connected(connection, reservation)
    here.disconnected(connection, reservation, { cause: 'over' })
  }
  setTrouble('unavailable', () => {
    isTrusted = false
    return false
  })
  isTrusted = true
  await becomes(here, 1, 1)
  for (let n = 0; n < 5; n++) await here.tick()
  t.is((await events()).length, 2)
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

test('an answer that is lost opens and closes no session twice', async (t) => {
  const { reserve, run, pass, setTrouble, becomes, events } = await stage(t)
  const reservation = await reserve()
  const here = run(HERE)
  setTrouble('unknown')
  here.connected(1, reservation)
  await becomes(here, 1, 0)
  here.disconnected(1, reservation, { cause: 'over' })
  pass(2_000)
  await becomes(here, 1, 1)
  setTrouble(undefined)
  pass(2_000)
  await here.tick()
  await here.finish()
  t.is((await events()).length, 2)
})

test('a session that begins while too many wait is left out, and the others are closed', async (t) => {
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
  t.deepEqual(new Set((await closed()).map(({ reservation_id }) => reservation_id)), new Set(reservations.slice(0, 2)))
})

test('after a crash the next start closes what was open, when it was last seen', async (t) => {
  const { reserve, run, pass, becomes, closed } = await stage(t)
  const [used, left, late] = [await reserve(), await reserve(), await reserve()]
  const first = run(HERE)
  first.connected(1, used)
  first.connected(2, used)
  first.disconnected(2, used, { bytesToSut: 7, bytesFromSut: 8 })
  first.connected(3, left)
  first.disconnected(3, left)
  await becomes(first, 2, 0)
  pass(10_000)
  first.counted(1, used, 100)
  await first.tick()
  pass(4_000)
  first.counted(1, used, 1_000)
  first.connected(4, late)
  await becomes(first, 3, 0)
  await first.crash()
  pass(5 * MINUTE)
  const second = run(HERE, first.file.kept)
  await becomes(second, 3, 3)
  const byReservation = new Map((await closed()).map((session) => [session.reservation_id, session]))
  const known = { connections: 2, bytes_to_sut: 107, bytes_from_sut: 8 }
  t.like(byReservation.get(used), { ...known, cause: 'lost', closed_at: at(10_000) })
  t.like(byReservation.get(left), { cause: 'client', closed_at: at(0), connections: 1 }, 'its end had been seen')
  const nothing = { connections: 1, bytes_to_sut: 0, bytes_from_sut: 0 }
  t.like(byReservation.get(late), { ...nothing, cause: 'lost', closed_at: at(14_000) }, 'it began after the last look')
})

test('what a stop could not record is recorded by the next start, as it was', async (t) => {
  const { reserve, run, setTrouble, becomes, events, closed, pass } = await stage(t)
  const reservation = await reserve()
  const first = run(HERE)
  setTrouble('unavailable')
  first.connected(1, reservation)
  pass(3_000)
  first.disconnected(1, reservation, { cause: 'stopped' })
  await first.finish()
  t.deepEqual(await events(), [])
  setTrouble(undefined)
  pass(MINUTE)
  const second = run(HERE, first.file.kept)
  await becomes(second, 1, 1)
  t.like((await closed())[0], { cause: 'stopped', opened_at: at(0), closed_at: at(3_000) })
  pass(10_000)
  await second.tick()
  t.deepEqual(second.file.kept, [])
})

test("another instance's session is closed a minute after the reservation is over, and not before", async (t) => {
  const { reserve, run, pass, becomes, closed, events } = await stage(t)
  const reservation = await reserve()
  const gone = run(THERE)
  gone.connected(1, reservation)
  await becomes(gone, 1, 0)
  await gone.crash()
  const here = run(HERE)
  pass(61 * MINUTE - 1)
  for (let n = 0; n < 3; n++) await here.tick()
  t.is((await events()).length, 1)
  pass(1)
  await becomes(here, 1, 1)
  t.like((await closed())[0], { instance: THERE, cause: 'lost', closed_at: at(0), connections: 1 })
})

test('an instance leaves a session that it still follows to itself', async (t) => {
  const { reserve, run, pass, becomes, closed } = await stage(t)
  const reservation = await reserve()
  const here = run(HERE)
  here.connected(1, reservation)
  await becomes(here, 1, 0)
  pass(120 * MINUTE)
  for (let n = 0; n < 3; n++) await here.tick()
  here.disconnected(1, reservation, { cause: 'over' })
  await becomes(here, 1, 1)
  t.like((await closed())[0], { cause: 'over' })
})

test('a failure of the gateway thread loses its sessions', async (t) => {
  const { reserve, run, becomes, closed } = await stage(t)
  const reservation = await reserve()
  const here = run(HERE)
  here.connected(1, reservation)
  here.disconnected(1, reservation, { cause: 'lost', bytesToSut: 0, bytesFromSut: 0 })
  // The next thread numbers connections from the beginning.
  here.connected(1, reservation)
  await becomes(here, 2, 1)
  t.is((await closed())[0]?.cause, 'lost')
})
