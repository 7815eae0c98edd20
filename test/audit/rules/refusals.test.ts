import test from 'ava'
import type { Event } from '../../../src/domain/event.ts'
import { alice } from '../../domain/builders.ts'
import { type Entry, findingsIn, finds, idAt, MORNING, SUT } from '../verify/morning.ts'

/** The rules of counts of refusals. */

const ENTRY = { user_id: alice, code: 'reservation_conflict', count: 2, sut_id: SUT }
const ANY = { user_id: alice, code: 'no_sut_free', count: 1, match: { os: 'windows' } }
const SPAN = { from: '2030-05-02T06:19:00.000Z', to: '2030-05-02T06:20:00.000Z' }

const counted = (more: object = {}): Entry => [
  '06:20',
  { type: 'RefusalsCounted', data: { ...SPAN, refusals: [ENTRY, ANY], ...more } } as Event,
]

test('counts of refusals obey the rules', async (t) => {
  t.deepEqual(await findingsIn([...MORNING, counted()]), [])
  t.deepEqual(await findingsIn([...MORNING, counted({ refusals: [], others: 3 })]), [])
})

const UNLAWFUL: readonly (readonly [what: string, entry: Entry, expected: RegExp])[] = [
  ['a count that ends before it begins', counted({ from: '2030-05-02T06:20:00.000Z', to: SPAN.from }), /not in order/],
  ['a count that ends later than it was recorded', counted({ to: '2030-05-02T06:20:00.001Z' }), /not in order/],
  ['nothing counted', counted({ refusals: [] }), /counts nothing/],
  ['the same counted twice', counted({ refusals: [ENTRY, { ...ENTRY, count: 5 }] }), /the same in two places/],
  [
    'more than 500 counts',
    counted({ refusals: Array.from({ length: 501 }, (_, n) => ({ ...ENTRY, user_id: `u${n}` })) }),
    /501 counts/,
  ],
  ['a SUT and criteria', counted({ refusals: [{ ...ENTRY, match: { os: 'windows' } }] }), /not exactly one/],
  [
    'neither a SUT nor criteria',
    counted({ refusals: [{ user_id: alice, code: 'sut_inactive', count: 1 }] }),
    /not exactly one/,
  ],
  ['a SUT that does not exist', counted({ refusals: [{ ...ENTRY, sut_id: idAt('05:20', 9) }] }), /does not exist/],
  [
    'a count by a user',
    [...counted().slice(0, 2), { role: 'administrator', actor: alice }] as unknown as Entry,
    /by a administrator/,
  ],
]

for (const [what, entry, expected] of UNLAWFUL)
  test(`verify finds ${what}`, async (t) => {
    await finds(t, expected, [...MORNING, entry])
  })
