/** What one wants of any machine: arithmetic without a browser. */

import test from 'ava'
import {
  type Criteria,
  choosablesOf,
  fits,
  fromMatch,
  isInScope,
  likeOf,
  meeting,
  NO_CRITERIA,
  toggledValue,
  toMatch,
} from '../../../src/web/features/reserve/criteria.ts'
import { criteriaOf, isTextLeftOut, NO_FILTER } from '../../../src/web/features/view/filter.ts'
import { sut } from '../machines/machines.ts'

const SUTS = [
  sut({ _id: 'a', os: 'Ubuntu', tags: { rack: '2', gpu: 'a100' } }),
  sut({ _id: 'b', os: 'UBUNTU', tags: { rack: '10', gpu: 'l4' } }),
  sut({ _id: 'c', os: 'Windows', manufacturer: 'Dell', tags: { rack: '2' }, sut_type: 'rdp' }),
]
const wants = (...chosen: readonly (readonly [string, string | null])[]): Criteria =>
  chosen.reduce((criteria, [key, value]) => toggledValue(criteria, key, value), NO_CRITERIA)
const fitting = (criteria: Criteria) => SUTS.filter((each) => fits(each, criteria)).map(({ _id }) => _id)

test('a machine fits if it has one of the values of each criterion, tags exactly and fields in any case', (t) => {
  t.deepEqual(fitting(NO_CRITERIA), ['a', 'b', 'c'])
  t.deepEqual(fitting(wants(['os', 'ubuntu'])), ['a', 'b'])
  t.deepEqual(fitting(wants(['os', 'ubuntu'], ['tag.gpu', 'l4'], ['tag.gpu', 'a100'])), ['a', 'b'])
  t.deepEqual(fitting(wants(['tag.gpu', 'A100'])), [])
  t.deepEqual(fitting(wants(['tag.gpu', null])), ['c'])
  t.deepEqual(fitting(wants(['manufacturer', 'dell'], ['tag.rack', '2'])), ['c'])
})

test('a machine is in a scope if it has all of its tags, whose values may have escapes', (t) => {
  const tags = { team: 'qa,1', rack: '4' }
  t.true(isInScope({ tags }, ''))
  t.true(isInScope({ tags }, 'rack=4,team=qa%2C1'))
  t.false(isInScope({ tags }, 'rack=4,team=qa'))
  t.false(isInScope({ tags }, 'toString='))
})

test('a value is chosen and no longer chosen, and having no such tag takes the place of its values', (t) => {
  const chosen = wants(['os', 'Ubuntu'], ['tag.gpu', 'l4'], ['tag.gpu', null])
  t.deepEqual(toMatch(chosen), { os: ['Ubuntu'], tags: { gpu: null } })
  t.deepEqual(toMatch(toggledValue(chosen, 'tag.gpu', 'l4')), { os: ['Ubuntu'], tags: { gpu: ['l4'] } })
  t.deepEqual(toMatch(toggledValue(chosen, 'os', 'UBUNTU')), { tags: { gpu: null } })
})

test('without criteria every machine fits, which is said by a criterion that all of them meet', (t) => {
  t.deepEqual(toMatch(NO_CRITERIA), { sut_type: ['vnc', 'rdp', 'tcp'] })
})

test('criteria are read back from an address, and what is not understood of it is left out', (t) => {
  const chosen = wants(['os', 'Ubuntu'], ['tag.gpu', 'l4'], ['tag.odd', null])
  t.deepEqual(fromMatch(toMatch(chosen)), chosen)
  t.deepEqual(fromMatch({ os: 'Ubuntu', tags: { rack: '2' } }), wants(['os', 'Ubuntu'], ['tag.rack', '2']))
  t.deepEqual(
    fromMatch({ os: { a: 1 }, tags: 7, more: 'x', version: [1, null, '7.1'] } as never),
    wants(['version', '7.1']),
  )
})

test('a machine like another has its system and type', (t) => {
  t.deepEqual(toMatch(likeOf(sut({ os: 'QNX' }))), { os: ['QNX'], sut_type: ['vnc'] })
  t.deepEqual(toMatch(likeOf(sut({ os: '' }))), { sut_type: ['vnc'] })
})

test('one chooses by what machines do not have alike, each value once and by number', (t) => {
  const shown = choosablesOf(SUTS, NO_CRITERIA).map(({ label, values, isUsual }) => [
    ...[label, values.map(({ text }) => text).join()],
    isUsual,
  ])
  t.deepEqual(shown, [
    ['Operating system', 'Ubuntu,Windows', true],
    ['rack', '2,10', true],
    ['gpu', 'a100,l4,not set', true],
    ['Type', 'RDP,VNC', false],
  ])
})

test('what is chosen is shown even where no machine has it', (t) => {
  const fields = choosablesOf(SUTS, wants(['tag.gone', 'x'], ['os', 'BeOS']))
  const chosen = fields.flatMap(({ label, values }) =>
    values.filter(({ isChosen }) => isChosen).map(({ text }) => `${label} ${text}`),
  )
  t.deepEqual(chosen, ['Operating system BeOS', 'gone x'])
  t.true(fields.find(({ label }) => label === 'gone')?.isUsual)
})

test('a field that a machine must not have is understood, and passed on', (t) => {
  const none = fromMatch({ os: null, not: { version: null } })
  t.deepEqual(toMatch(none), { os: null })
  t.deepEqual([fits(sut({ os: '' }), none), fits(sut({ os: 'QNX' }), none)], [true, false])
  t.false(meeting({ os: null, not: { version: null } })(sut({ os: '', version: '' })))
})

test('what the schedule is filtered by is said by criteria: types and tags, or the names that a text leaves', (t) => {
  const filter = {
    ...NO_FILTER,
    types: new Set(['vnc', 'rdp'] as const),
    tags: new Set(['gpu=l4', 'gpu=a=b', 'rack=2']),
  }
  t.deepEqual(toMatch(criteriaOf(filter, SUTS)), {
    sut_type: ['vnc', 'rdp'],
    tags: { gpu: ['l4', 'a=b'], rack: ['2'] },
  })
  t.deepEqual(criteriaOf(NO_FILTER, SUTS), NO_CRITERIA)
  const [named, many] = [SUTS.slice(0, 2), Array.from({ length: 33 }, (_, n) => sut({ name: `b ${n}` }))]
  t.deepEqual(toMatch(criteriaOf({ ...filter, text: 'bench' }, named)), { name: ['bench 1', 'bench 1'] })
  t.deepEqual(criteriaOf({ ...filter, text: 'b' }, many), criteriaOf(filter, many))
  t.deepEqual(
    [named, many].map((shown) => isTextLeftOut({ ...filter, text: 'b' }, shown)),
    [false, true],
  )
  t.false(isTextLeftOut(filter, many))
})
