import test from 'ava'
import { isKnown, openLab } from '../../../src/web/data/lab.ts'
import type { Reservation, Sut } from '../../../src/web/data/objects.ts'
import type { Readable } from '../../../src/web/service/api.ts'

const CHANGED = { created_at: '2030-05-08T00:00:00Z', updated_at: '2030-05-08T00:00:00Z' }
const sut = (_id: string, name: string): Sut => ({
  ...{ _id, name, description: '', address: 'a', port: 1, sut_type: 'vnc', is_active: true, tags: {} },
  ...{ manufacturer: '', model: '', os: '', version: '', ...CHANGED },
  monitoring: { status: 'Unknown', status_description: '', last_updated: '2030-05-08T00:00:00Z' },
})
const reservation = (_id: string, sut_id: string, from: string, to: string): Reservation => ({
  ...{ _id, sut_id, user_id: 'u', listen_port: 1, ...CHANGED },
  ...{ start_time: `2030-05-08T${from}:00Z`, end_time: `2030-05-08T${to}:00Z` },
})
const at = (clock: string): number => Date.parse(`2030-05-08T${clock}:00Z`)
const DAY = { from: at('00:00'), to: at('20:00') }

/** An interface that answers from what it is given, and notes what is asked. */
const serve = (suts: readonly Sut[], reservations: () => readonly Reservation[]) => {
  const asked: URL[] = []
  const answer = (path: string): unknown => {
    const url = new URL(path, 'http://lab')
    asked.push(url)
    const ids = url.searchParams.getAll('sut_id')
    if (url.pathname === '/api/sut') return { suts }
    if (url.pathname === '/api/sut_reservation')
      return { sut_reservations: reservations().filter(({ sut_id }) => ids.length === 0 || ids.includes(sut_id)) }
    throw new Error(path)
  }
  const api: Readable = {
    get: async (path) => ({ value: answer(path) as never, etag: undefined, position: undefined }),
  }
  return { api, asked }
}

test('machines are in the order of their names, numbers by their size', async (t) => {
  const { lab, readSuts } = openLab()
  await readSuts(serve([sut('a', 'bench 10'), sut('b', 'bench 2'), sut('c', 'bench 1')], () => []).api)
  t.deepEqual([...lab.peek().suts.keys()], ['c', 'b', 'a'])
})

test('rows are read a hundred machines at a time, and known for the span that was read', async (t) => {
  const { lab, readRows } = openLab()
  const { api, asked } = serve([], () => [reservation('r', 's 1', '10:00', '11:00')])
  await readRows(
    api,
    DAY,
    Array.from({ length: 150 }, (_, n) => `s ${n}`),
  )
  t.deepEqual(
    asked.map(({ searchParams }) => searchParams.getAll('sut_id').length),
    [100, 50],
  )
  t.deepEqual(
    lab
      .peek()
      .bySut.get('s 1')
      ?.map(({ _id }) => _id),
    ['r'],
  )
  t.true(isKnown(lab.peek(), 's 149', DAY))
  t.false(isKnown(lab.peek(), 's 149', { ...DAY, to: DAY.to + 1 }))
  t.false(isKnown(lab.peek(), 's 150', DAY))
})

test('what was read of a machine takes the place of what was known in that span, and of nothing else', async (t) => {
  const { lab, readRows } = openLab()
  let now = [reservation('old', 's', '10:00', '11:00'), reservation('other', 't', '10:00', '11:00')]
  const { api } = serve([], () => now)
  await readRows(api, DAY, ['s', 't'])
  now = [reservation('new', 's', '08:00', '09:00')]
  await readRows(api, { from: at('08:00'), to: at('10:00') }, ['s'])
  const idsOf = (id: string) =>
    lab
      .peek()
      .bySut.get(id)
      ?.map(({ _id }) => _id)
  t.deepEqual([idsOf('s'), idsOf('t')], [['new', 'old'], ['other']])
  await readRows(api, DAY, ['s'])
  t.deepEqual([idsOf('s'), [...lab.peek().reservations.keys()].sort()], [['new'], ['new', 'other']])
})

test('what is reserved about now is read of the whole lab, and makes no row known', async (t) => {
  const { lab, readSoon } = openLab()
  const all = [reservation('r', 's', '10:00', '11:00'), reservation('q', 't', '10:00', '11:00')]
  await readSoon(serve([], () => all).api, DAY)
  t.deepEqual([lab.peek().bySut.get('s')?.length, isKnown(lab.peek(), 's', DAY)], [1, false])
  await readSoon(serve([], () => []).api, DAY, ['s'])
  t.deepEqual([lab.peek().bySut.get('s')?.length, lab.peek().bySut.get('t')?.length], [0, 1])
})

test('a row that leaves what is near is read again when it returns, and shown as it was until then', async (t) => {
  const { lab, readRows, keepRows } = openLab()
  await readRows(serve([], () => [reservation('r', 's', '10:00', '11:00')]).api, DAY, ['s', 't'])
  keepRows(new Set(['t']))
  t.deepEqual([isKnown(lab.peek(), 's', DAY), isKnown(lab.peek(), 't', DAY)], [false, true])
  t.is(lab.peek().bySut.get('s')?.length, 1)
})

test('an answer to a command is shown at once, in the place of what was known of the reservation', async (t) => {
  const { lab, readRows, put, remove } = openLab()
  await readRows(serve([], () => [reservation('r', 's', '10:00', '11:00')]).api, DAY, ['s'])
  put(reservation('r', 's', '10:00', '12:00'))
  put(reservation('q', 's', '08:00', '09:00'))
  t.deepEqual(
    lab
      .peek()
      .bySut.get('s')
      ?.map(({ _id, to }) => [_id, to]),
    [
      ['q', at('09:00')],
      ['r', at('12:00')],
    ],
  )
  remove('r')
  t.deepEqual([...lab.peek().reservations.keys()], ['q'])
})

test('an answer that was overtaken does not bring back what a reservation was', async (t) => {
  const { lab, put, readRows } = openLab()
  const made = reservation('r', 's', '10:00', '12:00')
  const released = { ...made, end_time: '2030-05-08T11:00:00Z', updated_at: '2030-05-08T11:00:00Z' }
  const ends = () => [
    lab.peek().reservations.get('r')?.end_time,
    ...(lab.peek().bySut.get('s') ?? []).map(({ to }) => to),
  ]
  put(made)
  t.deepEqual(ends(), [made.end_time, at('12:00')])
  put(released)
  put(made)
  t.deepEqual(ends(), [released.end_time, at('11:00')])
  await readRows(serve([], () => [made]).api, DAY, ['s'])
  t.deepEqual(ends(), [released.end_time, at('11:00')])
  const later = { ...released, end_time: '2030-05-08T11:30:00Z', updated_at: '2030-05-08T11:00:01Z' }
  await readRows(serve([], () => [later]).api, DAY, ['s'])
  t.deepEqual(ends(), [later.end_time, at('11:30')])
})

test('what is reserved neither about now nor in a row that is known is forgotten', async (t) => {
  const { lab, readRows, keepRows, forgetOthers } = openLab()
  const { api } = serve([], () => [
    reservation('row', 's', '01:00', '02:00'),
    reservation('unseen', 't', '01:00', '02:00'),
    reservation('now', 't', '10:00', '11:00'),
  ])
  await readRows(api, DAY, ['s', 't'])
  const before = lab.peek().bySut.get('s')
  keepRows(new Set(['s']))
  forgetOthers({ from: at('10:30'), to: at('12:00') })
  t.deepEqual([...lab.peek().reservations.keys()].sort(), ['now', 'row'])
  t.is(lab.peek().bySut.get('s'), before)
  const left = lab.peek()
  forgetOthers({ from: at('10:30'), to: at('12:00') })
  t.is(lab.peek(), left, 'where nothing is forgotten, nothing is drawn again')
})
