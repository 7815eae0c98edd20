import test from 'ava'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { Temporal } from 'temporal-polyfill'
import {
  epochMillisecondsOf,
  epochSecondsOf,
  formatMilliseconds,
  formatWithOffset,
  offsetOf,
  parseOffsetTime,
} from '../../../src/domain/values/instant.ts'
import { arbitraryOffset, arbitrarySecond } from '../builders.ts'
import { nanosecondsOf } from '../nanoseconds.ts'

const MAY_SECOND = 1903932000 // 2030-05-02T06:00:00Z

/** The instant in UTC and the offset in minutes, or the error message. */
const read = (text: string): [string, number] | string => {
  const parsed = parseOffsetTime(text)
  if (E.isLeft(parsed)) return parsed.left
  return [new Temporal.Instant(nanosecondsOf(parsed.right.instant)).toString(), parsed.right.offset]
}

const accepted: readonly (readonly [string, string, number])[] = [
  ['2030-05-02T06:00:00Z', '2030-05-02T06:00:00Z', 0],
  ['2030-05-02t06:00:00z', '2030-05-02T06:00:00Z', 0],
  ['2030-05-02t08:00:00+02:00', '2030-05-02T06:00:00Z', 120],
  ['2030-05-02T08:15:00+02:00', '2030-05-02T06:15:00Z', 120],
  ['2030-05-02T06:00:00+00:00', '2030-05-02T06:00:00Z', 0],
  ['2030-05-02T06:00:00-00:00', '2030-05-02T06:00:00Z', 0],
  ['2030-05-02T06:00:00.5Z', '2030-05-02T06:00:00.5Z', 0],
  ['2030-05-02T06:00:00.000000001Z', '2030-05-02T06:00:00.000000001Z', 0],
  ['2030-05-02T06:00:00.123456789-03:30', '2030-05-02T09:30:00.123456789Z', -210],
  ['2030-05-02T23:59:59+14:00', '2030-05-02T09:59:59Z', 840],
  ['2030-05-02T00:00:00-14:00', '2030-05-02T14:00:00Z', -840],
  ['2030-05-02T11:45:00+05:45', '2030-05-02T06:00:00Z', 345],
  ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00Z', 0],
  ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00Z', 0],
  ['1969-12-31T23:59:59.999999999Z', '1969-12-31T23:59:59.999999999Z', 0],
  ['0000-01-01T00:00:00+14:00', '-000001-12-31T10:00:00Z', 840],
  ['9999-12-31T23:59:59-14:00', '+010000-01-01T13:59:59Z', -840],
]
for (const [text, moment, offset] of accepted) {
  test(`${text} is read as ${moment} at ${offset} minutes`, (t) => {
    t.deepEqual(read(text), [moment, offset])
  })
}

const WHOLE = 'must be an RFC 3339 date-time with seconds and an offset, like 2030-05-02T08:15:00+02:00'
const NO_SUCH_DAY = 'is not an existing date'
const NO_OFFSET = 'must have a UTC offset: add Z or an offset like +02:00'
const LEAP = 'cannot be a leap second; the last second of a minute is 59'
const BEYOND = 'must have an offset within 14:00'
const refused: readonly (readonly [string, string, string])[] = [
  ['no offset', '2030-05-02T06:00:00', NO_OFFSET],
  ['a date only', '2030-05-02', 'is a date without a time; write it like 2030-05-02T08:15:00+02:00'],
  ['a space instead of T', '2030-05-02 06:00:00Z', WHOLE],
  [
    'a space instead of +, as decoded from a URL',
    '2030-05-02T06:00:00 02:00',
    'cannot contain a space; write + as %2B in a URL',
  ],
  ['a time zone', '2030-05-02T06:00:00Z[UTC]', WHOLE],
  ['a time zone after an offset', '2030-05-02T06:00:00+02:00[Europe/Berlin]', WHOLE],
  ['24:00', '2030-05-02T24:00:00Z', WHOLE],
  ['minute 60', '2030-05-02T06:60:00Z', WHOLE],
  ['30 February', '2030-02-30T06:00:00Z', NO_SUCH_DAY],
  ['29 February of a common year', '2030-02-29T06:00:00Z', NO_SUCH_DAY],
  ['29 February of a century', '2100-02-29T06:00:00Z', NO_SUCH_DAY],
  ['month 13', '2030-13-01T06:00:00Z', NO_SUCH_DAY],
  ['day 0', '2030-05-00T06:00:00Z', NO_SUCH_DAY],
  ['a leap second', '2016-12-31T23:59:60Z', LEAP],
  ['a leap second at another offset', '2017-01-01T00:59:60.5+01:00', LEAP],
  ['an offset a minute beyond 14:00', '2030-05-02T06:00:00+14:01', BEYOND],
  ['an offset a minute beyond -14:00', '2030-05-02T06:00:00-14:01', BEYOND],
  ['an offset of 24 hours', '2030-05-02T06:00:00+24:00', WHOLE],
  ['an offset with a Unicode minus sign', '2030-05-02T06:00:00−02:00', WHOLE],
  ['ten fraction digits', '2030-05-02T06:00:00.0000000001Z', WHOLE],
  ['a decimal point without digits', '2030-05-02T06:00:00.Z', WHOLE],
  ['no seconds', '2030-05-02T06:00Z', WHOLE],
  ['a year of five digits', '12030-05-02T06:00:00Z', WHOLE],
  ['white space around it', ' 2030-05-02T06:00:00Z', WHOLE],
  ['a line break after it', '2030-05-02T06:00:00Z\n', WHOLE],
  ['digits of another script', '２０３０-05-02T06:00:00Z', WHOLE],
  ['seconds since 1970', '1903932000', WHOLE],
  ['nothing', '', WHOLE],
]
for (const [what, text, sentence] of refused) {
  test(`a date-time with ${what} is refused with a helpful message`, (t) => {
    t.is(read(text), sentence)
  })
}

const nanosecondsIn = (parsed: ReturnType<typeof parseOffsetTime>) =>
  E.isRight(parsed) ? [nanosecondsOf(parsed.right.instant), parsed.right.offset] : parsed.left

test('property: a formatted instant is parsed exactly, with a fraction of up to nine digits', (t) => {
  const property = fc.property(
    arbitrarySecond(),
    arbitraryOffset(),
    fc.stringMatching(/^(\.\d{1,9})?$/),
    (second, ...rest) => {
      const [offset, fraction] = rest
      const written = formatWithOffset(second, offset)
      const parsed = parseOffsetTime(`${written.slice(0, 19)}${fraction}${written.slice(19)}`)
      const epochNanoseconds = BigInt(second) * 1_000_000_000n + BigInt(fraction.slice(1).padEnd(9, '0'))
      t.deepEqual(nanosecondsIn(parsed), [epochNanoseconds, offset])
    },
  )
  fc.assert(property)
})

test('property: any instant is formatted with its offset like Temporal', (t) => {
  const property = fc.property(arbitrarySecond(), arbitraryOffset(), (second, offset) => {
    const zone = formatWithOffset(0, offset).slice(19)
    const instant = Temporal.Instant.fromEpochMilliseconds(second * 1000)
    t.is(formatWithOffset(second, offset), instant.toString({ timeZone: zone, smallestUnit: 'second' }))
  })
  fc.assert(property)
})

test('property: the second and offset of a formatted end are recovered', (t) => {
  const property = fc.property(arbitrarySecond(), arbitraryOffset(), (second, offset) => {
    const written = formatWithOffset(second, offset)
    t.deepEqual([epochSecondsOf(written), offsetOf(written)], [second, offset])
  })
  fc.assert(property)
})

test('property: recorded times are formatted with milliseconds and Z, and round-trip', (t) => {
  const property = fc.property(fc.integer({ min: 0, max: 253402300799999 }), (milliseconds) => {
    const written = formatMilliseconds(milliseconds)
    t.regex(written, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    t.is(epochMillisecondsOf(written), milliseconds)
  })
  fc.assert(property)
  t.is(formatMilliseconds(MAY_SECOND * 1000 - 108_600), '2030-05-02T05:58:11.400Z')
})
