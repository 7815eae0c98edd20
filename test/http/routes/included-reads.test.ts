/** Names and states that reads of reservations add on request. */

import test, { type ExecutionContext } from 'ava'
import { idOf } from '../harness.ts'
import { asks, lab } from '../lab.ts'
import { createSut } from '../requests.ts'

const day = (time: string): string => `2030-05-02T${time}Z`

type Row = Readonly<Record<string, unknown>>

const stage = async (t: ExecutionContext) => {
  const service = await lab(t)
  const { ask, book } = service
  const make = async (window: string, more: object = {}, by = 'admin'): Promise<string> =>
    String((await book(by, window, { user_id: idOf('alice'), ...more })).json._id)
  const rowsOf = async (who: string, query: string) => {
    const { json } = await ask(who, `GET /api/sut_reservation?${query}`)
    return { count: json.count, rows: json.sut_reservations as readonly Row[] }
  }
  /** What a list adds to each reservation, by id; with `one`, what single reads add. */
  const added = async (who: string, query: string, one: readonly string[] = []): Promise<Row> => {
    const rows = one.length === 0 ? [...(await rowsOf(who, query)).rows] : []
    for (const id of one) rows.push((await ask(who, `GET /api/sut_reservation/${id}?${query}`)).json)
    return Object.fromEntries(
      rows.map(({ _id, user_name, sut_name, state, planned_end_time }) => {
        const members = Object.entries({ user_name, sut_name, state, planned_end_time })
        return [_id, members.flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`])).join(', ')]
      }),
    )
  }
  return { ...service, make, rowsOf, added }
}

test('include=names adds the names that the holder and the SUT have now', async (t) => {
  const { added, ask, make, sut } = await stage(t)
  const [one, other] = [await make('06:00-06:15'), await make('06:15-06:30', { user_id: idOf('bob') })]
  const before = await ask('audrey', `GET /api/sut_reservation/${one}`)
  await ask('admin', `POST /api/sut/${sut}/update`, { name: 'after' })
  await ask('admin', `POST /api/user/${idOf('bob')}/update`, { name: 'robert' })
  const expected = { [one]: 'user_name alice, sut_name after', [other]: 'user_name robert, sut_name after' }
  t.deepEqual(await added('audrey', 'include=names'), expected)
  t.deepEqual(await added('audrey', 'include=names', [one, other]), expected)
  t.deepEqual(await added('audrey', `include=names&as_of=${before.headers['berth-position']}`), expected)
})

test('include=state adds what has become of a reservation, and the end it had before a release', async (t) => {
  const { added, as, ask, clock, make } = await stage(t)
  const second = await createSut(as('admin'))
  const [over, released] = [await make('05:45-06:00'), await make('06:00-07:00')]
  const [running, ahead] = [await make('06:00-07:00', { sut_id: second }), await make('07:00-08:00')]
  clock.set(day('06:10:00.000'))
  const change = (id: string, what: string, body: object) =>
    ask('admin', `POST /api/sut_reservation/${id}/${what}`, body)
  await change(released, 'shorten', { end_time: day('06:45:00') })
  const extended = await change(running, 'extend', { end_time: day('07:30:00') })
  await change(released, 'cancel', {})
  clock.set(day('06:20:00.000'))
  const end = (time: string) => `planned_end_time 2030-05-02T${time}:00+00:00`
  const expected = {
    [over]: `state over, ${end('06:00')}`,
    [released]: `state released, ${end('06:45')}`,
    [running]: `state running, ${end('07:30')}`,
    [ahead]: `state ahead, ${end('08:00')}`,
  }
  t.deepEqual(await added('audrey', 'include=state'), expected)
  t.deepEqual(await added('audrey', 'include=state', Object.keys(expected)), expected)
  const asOf = `include=state&as_of=${extended.headers['berth-position']}`
  const then = { ...expected, [released]: `state running, ${end('06:45')}` }
  t.deepEqual(await added('audrey', asOf), then)
  t.deepEqual(await added('audrey', asOf, Object.keys(then)), then)
  t.deepEqual(await added('audrey', `include=state&as_of=${day('06:20:00')}`), expected)
  t.deepEqual(await added('audrey', 'include=state,names&current=true'), {
    [running]: `user_name alice, sut_name bench 4, state running, ${end('07:30')}`,
  })
})

test('the name of a SUT that is now outside the scope of its holder is not included', async (t) => {
  const { added, as, ask, make, sut: inside } = await stage(t)
  const moved = await createSut(as('admin'))
  for (const id of [inside, moved]) await ask('admin', `POST /api/sut/${id}/tags`, { team: 'qa1', rack: '4' })
  await ask('admin', `POST /api/user/${idOf('alice')}/update`, { scope: 'team=qa1,rack=4' })
  const [one, other] = [await make('06:00-06:15', {}, 'alice'), await make('06:00-06:15', { sut_id: moved }, 'alice')]
  await ask('admin', `POST /api/sut/${moved}/tags`, { rack: '5' })
  const expected = { [one]: 'user_name alice, sut_name bench 4', [other]: 'user_name alice, sut_name null' }
  t.deepEqual(await added('alice', 'include=names'), expected)
  t.deepEqual(await added('alice', `include=names&user_id=${idOf('alice')}`), expected)
  t.deepEqual(await added('alice', 'include=names', [one, other]), expected)
})

test('include=state,cancelled lists cancelled reservations too, within the scope and filters of others', async (t) => {
  const { as, ask, clock, make, rowsOf, sut } = await stage(t)
  const other = await createSut(as('admin'))
  const [stays, cancelled] = [await make('06:00-07:00'), await make('07:00-08:00')]
  const ofBob = await make('08:00-09:00', { sut_id: other, user_id: idOf('bob') })
  const last = await make('09:00-10:00', { sut_id: other })
  const then = (await ask('audrey', `GET /api/sut_reservation/${last}`)).headers['berth-position']
  for (const id of [cancelled, ofBob]) await ask('admin', `POST /api/sut_reservation/${id}/cancel`)
  clock.set(day('08:30:00.000'))
  const lists = async (who: string, found: Readonly<Record<string, readonly string[]>>) => {
    for (const [query, expected] of Object.entries(found)) {
      const { count, rows } = await rowsOf(who, `include=state,cancelled&${query}`)
      t.deepEqual(
        rows.map(({ _id, state }) => `${_id} ${state}`),
        expected,
        query,
      )
      if (!query.includes('limit') && !query.includes('before')) t.is(count, expected.length)
    }
  }
  const [kept, gone, gone2] = [`${stays} over`, `${cancelled} cancelled`, `${ofBob} cancelled`]
  const all = [`${last} ahead`, gone2, gone, kept]
  await lists('audrey', {
    '': all,
    'limit=2&offset=1': [gone2, gone],
    [`before=${ofBob}`]: [gone, kept],
    [`user_id=${idOf('bob')}`]: [gone2],
    [`sut_id=${sut}`]: [gone, kept],
    [`from=${day('07:30:00')}&to=${day('08:30:00')}`]: [gone2, gone],
    // None of them held its SUT.
    'current=true': [],
    [`held_from=${day('06:00:00')}&held_to=${day('08:30:00')}`]: [kept],
    [`as_of=${then}&user_id=${idOf('bob')}`]: [`${ofBob} ahead`],
    [`as_of=${day('08:30:00')}`]: all,
  })
  await ask('admin', `POST /api/sut/${sut}/tags`, { team: 'qa1' })
  await ask('admin', `POST /api/user/${idOf('alice')}/update`, { scope: 'team=qa1' })
  await lists('alice', { '': [`${last} ahead`, gone, kept], [`user_id=${idOf('bob')}`]: [] })
  const [list, one] = ['GET /api/sut_reservation', `GET /api/sut_reservation/${stays}`]
  await asks(
    t,
    { ask },
    [
      ...['cancelled', 'names,cancelled', 'used'].map((words) => `${list}?include=${words}`),
      ...['state,cancelled', 'names,', ''].map((words) => `${one}?include=${words}`),
    ].map((path) => ['audrey', path, '422 invalid include'] as const),
  )
})
