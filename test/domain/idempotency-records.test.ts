import test from 'ava'
import fc from 'fast-check'
import { addRecord, findRecord, type IdempotencyRecords } from '../../src/domain/idempotency-records.ts'
import { sutDecider } from '../../src/domain/sut/decide.ts'
import { rounds } from '../thorough.ts'
import { idOf, reservationCancelled, reservationCreated, SUT_ID, sutCreated, sutUpdated } from './builders.ts'
import { at, recordedAt, stories } from './given-when-then.ts'

const { given } = stories(sutDecider)
const key = (n: number, request = 'r'): string => `${`${n}k`.padEnd(22, 'k')}.${request.repeat(22)}`
const known = ({ state }: { state: { keys: IdempotencyRecords } }, ...keys: readonly string[]) =>
  keys.map((one) => findRecord(state.keys, one))
const HOUR = 3_600_000

test('an idempotency record has its object and whether the command created it', (t) => {
  const story = given(
    at('05:00', sutCreated(), { key: key(1) }),
    at('05:01', sutUpdated({ name: 'new name' })),
    at('05:02', reservationCreated(idOf(1), '06:00', '07:00'), { key: key(2) }),
    at('05:03', reservationCancelled(idOf(1)), { key: key(3) }),
  )
  t.deepEqual(known(story, key(1), key(2), key(3), key(4)), [
    { revision: 0, _id: SUT_ID, created: true },
    { revision: 2, _id: idOf(1), created: true },
    { revision: 3, _id: idOf(1), created: false },
    undefined,
  ])
  t.deepEqual(known(story, key(2, 's')), ['reused'])
})

test('the record of a command with several events refers to the last one', (t) => {
  const story = given(
    at('05:00', sutCreated(), { key: key(1) }),
    at('05:00', sutUpdated({ name: 'new name' }), { key: key(1) }),
  )
  t.deepEqual(known(story, key(1)), [{ revision: 1, _id: SUT_ID, created: false }])
})

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const arbitraryKey = (): fc.Arbitrary<string> =>
  fc
    .tuple(fc.nat(400), fc.string({ unit: fc.constantFrom(...DIGITS), minLength: 16, maxLength: 16 }))
    // Some share most of their characters, and some are equal.
    .map(([n, random]) => `${n % 3 === 0 ? `AAAAAAAA${`${n}`.padStart(8, '_')}` : random}zzzzzz.${random}zzzzzz`)

test('property: any key is kept for at least a day and at most a day and a half', (t) => {
  const steps = fc.array(fc.tuple(arbitraryKey(), fc.integer({ min: 0, max: HOUR / 4 })), {
    maxLength: 500,
    size: 'max',
  })
  const property = fc.property(steps, (all) => {
    let keys: IdempotencyRecords = []
    let time = Date.parse('2030-05-02T05:00:00Z')
    const model = new Map<string, { revision: number; time: number; key: string }>()
    for (const [revision, [key, wait]] of all.entries()) {
      const last = time
      time += wait
      const event = recordedAt(revision, { time, event: sutUpdated({ name: 'n' }), more: { key } })
      const before = keys
      const copy = structuredClone(before)
      keys = addRecord(before, event, time, last)
      if (revision % 50 === 0) t.deepEqual(before, copy, 'the earlier records are not modified')
      model.set(key.slice(0, 16), { revision, time, key })
      if (revision % 25 !== 0) continue
      for (const { revision, time: then, key } of model.values()) {
        const found = findRecord(keys, key)
        if (then > time - 24 * HOUR) t.deepEqual(found, { revision, _id: SUT_ID, created: false })
        if (then < time - 37 * HOUR) t.is(found, undefined)
      }
    }
  })
  fc.assert(property, { numRuns: rounds(10, 40), endOnFailure: true })
})
