import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { parseRule } from '../../../src/domain/series/rule.ts'

test('a rule is the value of an RRULE, in any case and order', (t) => {
  const rows = [
    ['FREQ=WEEKLY', 'FREQ=WEEKLY', undefined, undefined],
    ['freq=weekly;byday=mo,We', 'FREQ=WEEKLY;BYDAY=MO,WE', undefined, undefined],
    ['COUNT=10;INTERVAL=2;FREQ=DAILY', 'INTERVAL=2;FREQ=DAILY', 10, undefined],
    ['FREQ=DAILY;UNTIL=20300502T061500Z', 'FREQ=DAILY', undefined, Date.parse('2030-05-02T06:15Z')],
    ['FREQ=MONTHLY;BYDAY=+1MO,-1FR;BYHOUR=00,23', 'FREQ=MONTHLY;BYDAY=+1MO,-1FR;BYHOUR=00,23', undefined, undefined],
    [
      'FREQ=YEARLY;BYWEEKNO=-1,53;BYDAY=SU;WKST=SU',
      'FREQ=YEARLY;BYWEEKNO=-1,53;BYDAY=SU;WKST=SU',
      undefined,
      undefined,
    ],
  ] as const
  for (const [text, parts, count, until] of rows) t.deepEqual(parseRule(text), E.right({ parts, count, until }), text)
})

test('what RFC 5545 forbids and what libraries drop is refused', (t) => {
  const refused: Readonly<Record<string, RegExp>> = {
    '': /value of an RRULE alone/,
    'RRULE:FREQ=DAILY': /value of an RRULE alone/,
    'FREQ=DAILY\nEXDATE:20300502T061500Z': /wrong FREQ/,
    'FREQ=DAILY;': /value of an RRULE alone/,
    'FREQ=DAILY ;COUNT=3': /wrong FREQ/,
    'FREQ=DAILY;X-OTHER=1': /value of an RRULE alone/,
    'FREQ=DAILY;COUNT=2=3': /value of an RRULE alone/,
    'FREQ=DAILY;__PROTO__=1': /value of an RRULE alone/,
    'COUNT=2': /must have FREQ/,
    'FREQ=DAILY;FREQ=DAILY': /has FREQ twice/,
    'FREQ=DAILY;COUNT=3;COUNT=4': /has COUNT twice/,
    'FREQ=HOURLY': /wrong FREQ/,
    'FREQ=SECONDLY': /wrong FREQ/,
    'RSCALE=CHINESE;FREQ=YEARLY': /cannot have RSCALE/,
    'FREQ=DAILY;SKIP=OMIT': /cannot have SKIP/,
    'FREQ=DAILY;COUNT=3;UNTIL=20300502T061500Z': /both COUNT and UNTIL/,
    'FREQ=DAILY;COUNT=1': /from 2 to 366/,
    'FREQ=DAILY;COUNT=367': /from 2 to 366/,
    'FREQ=DAILY;COUNT=-3': /from 2 to 366/,
    'FREQ=DAILY;COUNT=2.5': /from 2 to 366/,
    'FREQ=DAILY;INTERVAL=0': /from 1 to 10000/,
    'FREQ=DAILY;INTERVAL=10001': /from 1 to 10000/,
    'FREQ=DAILY;INTERVAL=99999999999999999999': /from 1 to 10000/,
    'FREQ=DAILY;UNTIL=20300502': /moment in UTC/,
    'FREQ=DAILY;UNTIL=20300502T061500': /moment in UTC/,
    'FREQ=DAILY;UNTIL=20300230T061500Z': /moment in UTC/,
    'FREQ=DAILY;UNTIL=20300502T061560Z': /moment in UTC/,
    'FREQ=DAILY;BYHOUR=24': /from 0 to 23/,
    'FREQ=DAILY;BYMINUTE=60': /from 0 to 59/,
    'FREQ=DAILY;BYSECOND=60': /from 0 to 59/,
    'FREQ=DAILY;BYMONTH=0': /from 1 to 12/,
    'FREQ=DAILY;BYMONTH=13': /from 1 to 12/,
    'FREQ=DAILY;BYMONTH=5L': /from 1 to 12/,
    'FREQ=DAILY;BYMONTHDAY=0': /from 1 to 31/,
    'FREQ=MONTHLY;BYMONTHDAY=-32': /from 1 to 31/,
    'FREQ=YEARLY;BYYEARDAY=367': /from 1 to 366/,
    'FREQ=YEARLY;BYWEEKNO=54': /from 1 to 53/,
    'FREQ=DAILY;BYDAY=': /wrong BYDAY/,
    'FREQ=DAILY;BYDAY=MO,': /wrong BYDAY/,
    'FREQ=DAILY;BYDAY=XX': /wrong BYDAY/,
    'FREQ=MONTHLY;BYDAY=0MO': /wrong BYDAY/,
    'FREQ=YEARLY;BYDAY=54MO': /wrong BYDAY/,
    'FREQ=DAILY;WKST=1': /wrong WKST/,
    'FREQ=WEEKLY;BYDAY=1MO': /number in BYDAY with FREQ=WEEKLY/,
    'FREQ=YEARLY;BYWEEKNO=20;BYDAY=1MO': /number in BYDAY with BYWEEKNO/,
    'FREQ=MONTHLY;BYWEEKNO=20': /BYWEEKNO with FREQ=MONTHLY/,
    'FREQ=MONTHLY;BYYEARDAY=20': /BYYEARDAY with FREQ=MONTHLY/,
    'FREQ=WEEKLY;BYMONTHDAY=1': /BYMONTHDAY with FREQ=WEEKLY/,
    'FREQ=DAILY;BYSETPOS=1': /BYSETPOS without/,
    'FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0': /wrong BYSETPOS/,
    [`FREQ=DAILY;BYHOUR=${'0,'.repeat(250)}0`]: /at most 512/,
  }
  for (const [text, expected] of Object.entries(refused)) {
    const read = parseRule(text)
    t.true(E.isLeft(read) && expected.test(read.left), `${text}: ${JSON.stringify(read)}`)
  }
})
