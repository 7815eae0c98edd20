import test from 'ava'
import fc from 'fast-check'
import { isAssignedId, makeEventId, makeId, sutStream } from '../../../src/domain/values/ids.ts'
import { clock } from '../builders.ts'

const arbitraryHex = (bytes: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${2 * bytes}}$`))
const arbitraryTime = () => fc.integer({ min: 0, max: 253402300799999 })

test('an id is the second of its creation and random bytes', (t) => {
  t.is(makeId(Date.parse('2017-05-02T05:58:11.400Z'), '0123456789abcdef'), '59081ff30123456789abcdef')
  t.is(makeId(999, '0123456789abcdef'), '000000000123456789abcdef')
})

test('every id that is made is one that Berth can have assigned, and nothing else is', (t) => {
  const property = fc.property(arbitraryTime(), arbitraryHex(8), (time, random) => {
    t.true(isAssignedId(makeId(time, random)))
  })
  fc.assert(property)
  const others = ['', '59081ff30123456789abcde', '59081ff30123456789abcdef0', '59081FF30123456789ABCDEF']
  for (const other of [...others, 'g9081ff30123456789abcdef', '59081ff30123456789abcdef\n'])
    t.false(isAssignedId(other))
})

test('the id of an event is a UUID of version 7: its leading bits are its time', (t) => {
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

test('later ids of events sort behind earlier ones', (t) => {
  const random = 'f'.repeat(20)
  t.true(makeEventId(clock('05:00'), random) < makeEventId(clock('05:00:00.001'), '0'.repeat(20)))
})

test('ids of events differ wherever their random bits do', (t) => {
  // 74 of the 80 bits are used: six give way to version and variant.
  const ids = new Set(Array.from({ length: 19 }, (_, i) => makeEventId(0, `${'0'.repeat(i)}1`.padEnd(20, '0'))))
  t.is(ids.size, 19)
})

test('the stream of a SUT is named for it', (t) => {
  t.is(sutStream('58c38f5d444553252cce0000'), 'sut-58c38f5d444553252cce0000')
})
