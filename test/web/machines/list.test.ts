/** The list of machines and the strips: arithmetic without a browser. */

import test from 'ava'
import { type CsvRow, readCsv } from '../../../src/web/features/import/csv-rows.ts'
import { toSut } from '../../../src/web/features/machines/machine-values.ts'
import { slotsOf, upText, uptimeOf } from '../../../src/web/features/machines/uptime.ts'
import { weekOf } from '../../../src/web/features/schedule/week.ts'
import { fromParameters, linkTo, placeOf, toParameters } from '../../../src/web/page/location.ts'
import {
  blockOf,
  matches,
  NO_FILTER,
  ordered,
  rowOf,
  summaryOf,
  toCsv,
} from '../../../src/web/screens/machines/machine-list.ts'
import { booked, time } from '../timeline/times.ts'
import { sut } from './machines.ts'

const offline = { status: 'Offline', status_description: 'SUT is offline: it timed out', last_updated: '' } as const
const nameOf = (id: string): string => (id === 'jo' ? 'Jonas' : 'Mei')
const row = (part: Parameters<typeof sut>[0], ...all: ReturnType<typeof booked>[]) =>
  rowOf(sut(part), all, time('10:42'), 'me', nameOf)

const ROWS = [
  row({ _id: 'a', name: 'b-10' }, booked('1', '10:00', '12:30', 'jo'), booked('2', '13:00', '14:00', 'me')),
  row({ _id: 'b', name: 'b-9' }, booked('3', '10:00', '11:30', 'me')),
  row({ _id: 'c', name: 'a', monitoring: offline }),
  row({ _id: 'd', name: 'c', is_active: false, tags: {} }),
  row({ _id: 'e', name: 'd' }, booked('4', '11:00', '12:00', 'mei')),
]
const names = (rows: typeof ROWS) => rows.map(({ sut: { name } }) => name)

test('a row says what a machine is, who has it, and who is next', (t) => {
  t.deepEqual(
    ROWS.map(({ state, who, nextWho }) => [state.text, who, nextWho]),
    [
      ['In use', 'Jonas', 'You'],
      ['Yours', 'You', undefined],
      ['Offline, timed out', undefined, undefined],
      ['Inactive', undefined, undefined],
      ['Free', undefined, 'Mei'],
    ],
  )
  t.is(summaryOf(ROWS), '0 free for 1 h, 2 in use, 1 offline, 1 inactive')
})

test('a machine is turned around after a reservation, and is free when that is over', (t) => {
  const settings = { turnaround: 1_800, release_unused_after: 0 }
  const turned = row({ settings }, booked('1', '09:00', '10:15', 'jo'))
  t.is(turned.state.text, 'Turnaround until 10:45')
  t.false(turned.isFree)
  t.like(row({ settings }, booked('1', '09:00', '10:00', 'jo')), { state: { kind: 'free' }, isFree: true })
  t.false(row({ settings }, booked('1', '12:00', '13:00', 'jo')).isFree, 'an hour would end too late')
})

test('rows are sorted as people count, and what is empty comes last in either direction', (t) => {
  const by = (column: Parameters<typeof ordered>[1]['by'], isDescending = false) =>
    names([...ordered(ROWS, { by: column, isDescending })])
  t.deepEqual(by('name'), ['a', 'b-9', 'b-10', 'c', 'd'])
  t.deepEqual(by('until'), ['b-9', 'b-10', 'a', 'c', 'd'])
  t.deepEqual(by('until', true), ['b-10', 'b-9', 'a', 'c', 'd'])
})

test('filters take a name, a tag, a person, a state', (t) => {
  const shown = (part: Partial<typeof NO_FILTER>) =>
    names(ROWS.filter((each) => matches(each, { ...NO_FILTER, ...part })))
  t.deepEqual(shown({ text: 'JONAS' }), ['b-10'])
  t.deepEqual(shown({ tags: new Set(['rack=2']), kinds: new Set(['free'] as const) }), ['d'])
})

test('what of machines is read beside the list is read in blocks around those in view, a new one every 25 rows', (t) => {
  const rows = Array.from({ length: 300 }, (_, n) => ({ sut: sut({ _id: `${n}` }) }))
  const blocks = new Set(rows.map(({ sut: { _id } }) => blockOf(rows, [_id]).join()))
  t.is(blocks.size, 12)
  t.deepEqual(
    blockOf(rows, ['124']),
    Array.from({ length: 100 }, (_, n) => `${100 + n}`),
  )
})

test('a list saved as CSV can be imported again', (t) => {
  const text = toCsv([
    sut({
      name: 'a "b", c',
      description: 'two\nlines',
      tags: { rack: '2' },
      settings: { turnaround: 900, release_unused_after: 0 },
    }),
    sut({ tags: { os: 'qnx' } }),
  ])
  const [header, first] = text.split('\r\n')
  t.is(
    header,
    'name,address,port,sut_type,is_active,os,version,manufacturer,model,description,turnaround,release_unused_after,tag.os,tag.rack',
  )
  t.is(first, '"a ""b"", c",10.0.0.1,5900,vnc,true,Ubuntu,24.04,,,"two\nlines",900,0,,2')
  t.deepEqual(toSut({ name: 'a', port: '5900', is_active: 'true', 'tag.rack': '2' }), {
    ...{ name: 'a', port: 5_900, is_active: true, tags: { rack: '2' } },
  })
})

test('a list saved as CSV has no formulas for a spreadsheet, and is imported as it was', async (t) => {
  const values = ['=1+1', '-2', '+3', '@sum', '\uff1d1', "'=quoted", "'plain", 'a=b']
  const text = toCsv(values.map((description) => sut({ description })))
  for (const field of text.split(/\r\n|,/)) t.notRegex(field, /^"?[=+\-@\uff1d]/)
  const rows = (await readCsv(new TextEncoder().encode(text))) as readonly CsvRow[]
  const at = rows[0]?.fields.indexOf('description') ?? -1
  t.deepEqual(
    rows.slice(1).map(({ fields }) => fields[at]),
    values,
  )
})

const HOUR = 3_600_000
const at = (hours: number): string => new Date(hours * HOUR).toISOString()
const SPAN = { from: 0, to: 24 * HOUR }

test('a strip overlooks no outage, and says where nothing is known', (t) => {
  const outages = [
    { from: at(2.1), to: at(2.2), cause: 'refused' },
    { from: at(23), to: null, cause: 'timed_out' },
  ] as const
  const uptime = uptimeOf({ outages, unknown: [{ from: at(0), to: at(1.7) }] }, SPAN.to)
  const slots = slotsOf(uptime, SPAN, 24)
  t.deepEqual(slots.slice(0, 4), ['unknown', 'unknown', 'down', 'up'])
  t.is(slots.at(-1), 'down')
  t.is(upText(uptime, SPAN), '95.1%')
})

test('100% is said only of a whole span without an outage, and nothing where nothing is known', (t) => {
  const short = uptimeOf({ outages: [{ from: at(2), to: at(2.001), cause: 'refused' }], unknown: [] }, SPAN.to)
  t.is(upText(short, SPAN), '99.9%')
  const of = (to: number): string => upText({ outages: [], unknown: [{ from: 0, to }] }, SPAN)
  t.deepEqual([of(0), of(0.9 * HOUR), of(24 * HOUR)], ['100%', '100%', ''])
  t.regex(of(23 * HOUR), /^since .*\d\d:\d\d$/)
})

test('a week has seven days, and a night is in both of its days', (t) => {
  const night = { ...booked('n', '22:00', '23:00'), to: time('23:00') + 4 * HOUR }
  const days = weekOf([night], 0, time('10:42'))
  t.is(days.length, 7)
  t.deepEqual(
    days.map(({ blocks }) => blocks.map(({ a, z }) => [a, z])),
    [[[1_320, 1_440]], [[0, 180]], [], [], [], [], []],
  )
})

test('after each reservation of a week the machine is turned around, up to the next one and over midnight', (t) => {
  const all = [booked('a', '11:00', '12:00'), booked('b', '12:15', '13:00'), booked('c', '23:00', '23:50')]
  const days = weekOf(all, HOUR / 2, time('10:42'))
  t.deepEqual(
    days.slice(0, 2).map(({ turns }) => turns.map(({ a, z, to }) => [a, z, to])),
    [
      [
        [720, 735, time('12:15')],
        [780, 810, time('13:30')],
        [1_430, 1_440, time('23:00') + 1.5 * HOUR],
      ],
      [[0, 30, time('23:00') + 1.5 * HOUR]],
    ],
  )
})

test('what one filters by stands in the address, and is read from it, whatever it is', (t) => {
  const filter = { ...NO_FILTER, text: 'a & b=c', kinds: new Set(['off']), tags: new Set(['a=1,2', 'b=50%', 'ü=']) }
  const { parameters } = placeOf(linkTo('machines', undefined, toParameters(filter)).slice(1))
  t.deepEqual(fromParameters(NO_FILTER, parameters), filter)
  t.deepEqual(toParameters(NO_FILTER), {})
})
