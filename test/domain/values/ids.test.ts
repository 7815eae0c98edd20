import test from 'ava'
import fc from 'fast-check'
import { isAssignedId, makeEventId, makeId } from '../../../src/domain/values/ids.ts'

const arbitraryHex = (bytes: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${2 * bytes}}$`))
const arbitraryTime = () => fc.integer({ min: 0, max: 253402300799999 })

test('an id consists of its creation second and random bytes', (t) => {
  t.is(makeId(Date.parse('2017-05-02T05:58:11.400Z'), '0123456789abcdef'), '59081ff30123456789abcdef')
  t.is(makeId(999, '0123456789abcdef'), '000000000123456789abcdef')
})

test('property: every generated id is recognized as assigned by Berth, and malformed ids are not', (t) => {
  const property = fc.property(arbitraryTime(), arbitraryHex(8), (time, random) => {
    t.true(isAssignedId(makeId(time, random)))
  })
  fc.assert(property)
  const others = ['', '59081ff30123456789abcde', '59081ff30123456789abcdef0', '59081FF30123456789ABCDEF']
  for (const other of [...others, 'g9081ff30123456789abcdef', '59081ff30123456789abcdef\n'])
    t.false(isAssignedId(other))
})

test('an event id is a version 7 UUID that starts with its time', (t) => {
  const property = fc.property(arbitraryTime(), arbitraryHex(10), (time, random) => {
    const id = makeEventId(time, random)
    t.regex(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    t.is(Number.parseInt(id.slice(0, 13).replace('-', ''), 16), time)
  })
  fc.assert(property)
  // The example of RFC 9562, appendix A.6.
  const example = makeEventId(0x017f22e279b0, 'cc318c4dc0c0c07398f0')
  t.is(example, '017f22e2-79b0-7cc3-98c4-dc0c0c07398f')
})

test('event ids with different random bits differ', (t) => {
  // 74 of the 80 bits are used: version and variant replace six.
  const ids = new Set(Array.from({ length: 19 }, (_, i) => makeEventId(0, `${'0'.repeat(i)}1`.padEnd(20, '0'))))
  t.is(ids.size, 19)
})
