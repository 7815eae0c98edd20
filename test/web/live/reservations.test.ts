import { signal } from '@preact/signals'
import test from 'ava'
import type { Reservation } from '../../../src/web/data/objects.ts'
import type { Source } from '../../../src/web/data/query.ts'
import { isKnown, openReservations } from '../../../src/web/data/reservations.ts'

const CHANGED = { created_at: '2030-05-08T00:00:00Z', updated_at: '2030-05-08T00:00:00Z' }
const reservation = (_id: string, sut_id: string, from: string, to: string): Reservation => ({
  ...{ _id, sut_id, user_id: 'u', listen_port: 1, ...CHANGED },
  ...{ start_time: `2030-05-08T${from}:00Z`, end_time: `2030-05-08T${to}:00Z` },
})
const at = (clock: string): number => Date.parse(`2030-05-08T${clock}:00Z`)
const DAY = { from: at('00:00'), to: at('20:00') }

/** An interface that answers at a position from what it is given, and notes what is asked. */
const serve = (reservations: () => readonly Reservation[], position = '0') => {
  const asked: URL[] = []
  const source: Source = {
    get: async (path) => {
      const url = new URL(path, 'http://lab')
      asked.push(url)
      const ids = url.searchParams.getAll('sut_id')
      const all = reservations().filter(({ sut_id }) => ids.length === 0 || ids.includes(sut_id))
      return { value: { sut_reservations: all } as never, etag: undefined, position }
    },
    reached: () => position,
  }
  return { source, asked }
}

test('rows are read a hundred machines at a time, and known for the span that was read', async (t) => {
  const { all, readRows } = openReservations(signal(undefined))
  const { source, asked } = serve(() => [reservation('r', 's 1', '10:00', '11:00')])
  await readRows(
    source,
    DAY,
    Array.from({ length: 150 }, (_, n) => `s ${n}`),
  )
  t.deepEqual(
    asked.map(({ searchParams }) => searchParams.getAll('sut_id').length),
    [100, 50],
  )
  t.deepEqual(
    all
      .peek()
      .bySut.get('s 1')
      ?.map(({ _id }) => _id),
    ['r'],
  )
  t.true(isKnown(all.peek(), 's 149', DAY))
  t.false(isKnown(all.peek(), 's 149', { ...DAY, to: DAY.to + 1 }))
  t.false(isKnown(all.peek(), 's 150', DAY))
})

test('what was read of a machine takes the place of what was known in that span, and of nothing else', async (t) => {
  const { all, readRows } = openReservations(signal(undefined))
  let now = [reservation('old', 's', '10:00', '11:00'), reservation('other', 't', '10:00', '11:00')]
  const { source } = serve(() => now)
  await readRows(source, DAY, ['s', 't'])
  now = [reservation('new', 's', '08:00', '09:00')]
  await readRows(source, { from: at('08:00'), to: at('10:00') }, ['s'])
  const idsOf = (id: string) =>
    all
      .peek()
      .bySut.get(id)
      ?.map(({ _id }) => _id)
  t.deepEqual([idsOf('s'), idsOf('t')], [['new', 'old'], ['other']])
  await readRows(source, DAY, ['s'])
  t.deepEqual([idsOf('s'), [...all.peek().byId.keys()].sort()], [['new'], ['new', 'other']])
})

test('what is reserved about now is read of the whole lab, makes no row known, and is forgotten unless held', async (t) => {
  const { all, readSpan, hold, forgetOthers } = openReservations(signal(undefined))
  const known = [reservation('r', 's', '10:00', '11:00'), reservation('q', 't', '10:00', '11:00')]
  await readSpan(serve(() => known).source, DAY)
  t.deepEqual([all.peek().bySut.get('s')?.length, isKnown(all.peek(), 's', DAY)], [1, false])
  await readSpan(serve(() => []).source, DAY, ['s'])
  t.deepEqual([all.peek().bySut.get('s')?.length, all.peek().bySut.get('t')?.length], [0, 1])
  await readSpan(serve(() => known).source, DAY)
  hold({ ...DAY, sutIds: ['t'] })
  forgetOthers({ from: DAY.to, to: DAY.to + 1 })
  t.deepEqual([...all.peek().byId.keys()], ['q'])
})

test('a row that leaves what is near is read again when it returns, and shown as it was until then', async (t) => {
  const { all, readRows, keepRows } = openReservations(signal(undefined))
  await readRows(serve(() => [reservation('r', 's', '10:00', '11:00')]).source, DAY, ['s', 't'])
  keepRows(new Set(['t']))
  t.deepEqual([isKnown(all.peek(), 's', DAY), isKnown(all.peek(), 't', DAY)], [false, true])
  t.is(all.peek().bySut.get('s')?.length, 1)
})

test('an answer to a command is shown at once, in the place of what was known of the reservation', async (t) => {
  const { all, readRows, put, remove } = openReservations(signal(undefined))
  await readRows(serve(() => [reservation('r', 's', '10:00', '11:00')]).source, DAY, ['s'])
  put(reservation('r', 's', '10:00', '12:00'))
  put(reservation('q', 's', '08:00', '09:00'))
  t.deepEqual(
    all
      .peek()
      .bySut.get('s')
      ?.map(({ _id, to }) => [_id, to]),
    [
      ['q', at('09:00')],
      ['r', at('12:00')],
    ],
  )
  remove('r')
  t.deepEqual([...all.peek().byId.keys()], ['q'])
})

test('an answer that was overtaken does not bring back what a reservation was', async (t) => {
  const { all, put, readRows } = openReservations(signal(undefined))
  const made = reservation('r', 's', '10:00', '12:00')
  const released = { ...made, end_time: '2030-05-08T11:00:00Z', updated_at: '2030-05-08T11:00:00Z' }
  const ends = () => [all.peek().byId.get('r')?.end_time, ...(all.peek().bySut.get('s') ?? []).map(({ to }) => to)]
  put(made)
  t.deepEqual(ends(), [made.end_time, at('12:00')])
  put(released)
  put(made)
  t.deepEqual(ends(), [released.end_time, at('11:00')])
  await readRows(serve(() => [made]).source, DAY, ['s'])
  t.deepEqual(ends(), [released.end_time, at('11:00')])
  const later = { ...released, end_time: '2030-05-08T11:30:00Z', updated_at: '2030-05-08T11:00:01Z' }
  await readRows(serve(() => [later]).source, DAY, ['s'])
  t.deepEqual(ends(), [later.end_time, at('11:30')])
})

test('what is reserved neither about now nor in a row that is known is forgotten', async (t) => {
  const { all, readRows, keepRows, forgetOthers } = openReservations(signal(undefined))
  const { source } = serve(() => [
    reservation('row', 's', '01:00', '02:00'),
    reservation('unseen', 't', '01:00', '02:00'),
    reservation('now', 't', '10:00', '11:00'),
  ])
  await readRows(source, DAY, ['s', 't'])
  const before = all.peek().bySut.get('s')
  keepRows(new Set(['s']))
  forgetOthers({ from: at('10:30'), to: at('12:00') })
  t.deepEqual([...all.peek().byId.keys()].sort(), ['now', 'row'])
  t.is(all.peek().bySut.get('s'), before)
  const left = all.peek()
  forgetOthers({ from: at('10:30'), to: at('12:00') })
  t.is(all.peek(), left, 'where nothing is forgotten, nothing is drawn again')
})

test('what the answer to a command has said is neither read again nor taken back by an older answer', async (t) => {
  const { all, put, readRows, isNews } = openReservations(signal(undefined))
  const change = { kind: 'sut_reservation', _id: 'r', sut_id: 's' } as const
  put(reservation('r', 's', '10:00', '12:00'), '07')
  t.deepEqual([isNews({ ...change, sequence: '7' }), isNews({ ...change, sequence: '8' })], [false, true])
  await readRows(serve(() => [], '6').source, DAY, ['s'])
  t.deepEqual([...all.peek().byId.keys()], ['r'])
  await readRows(serve(() => [], '8').source, DAY, ['s'])
  t.is(all.peek().byId.size, 0)
})

test('own reservations are those of the signed-in user, which stay while others are forgotten', async (t) => {
  const { own, readOwn, put, forgetOthers } = openReservations(signal('me'))
  const [late, soon] = [reservation('late', 's', '10:00', '11:00'), reservation('soon', 't', '01:00', '02:00')]
  const mine = (each: Reservation) => ({ ...each, user_id: 'me', sut_name: 'desk' })
  await readOwn.read(serve(() => [mine(late), mine(soon)]).source, undefined, undefined)
  put(reservation('other', 't', '01:00', '02:00'))
  forgetOthers({ from: at('12:00'), to: at('13:00') })
  t.deepEqual(
    own.value.map(({ _id, sut_name }) => [_id, sut_name]),
    [
      ['soon', 'desk'],
      ['late', 'desk'],
    ],
  )
})
