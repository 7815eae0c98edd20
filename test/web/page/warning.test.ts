import test from 'ava'
import { endText } from '../../../src/web/page/warning.ts'
import { time } from '../timeline/times.ts'

test('that a reservation ends soon is said, and that it is over, but not where it was extended or given back', (t) => {
  const near = { end_time: new Date(time('12:00')).toISOString(), sut_name: 'win11-02' }
  t.is(endText(near, true, time('11:50')), 'Your time on win11-02 ends at 12:00.')
  t.is(endText(near, true, time('11:51')), 'Your time on win11-02 ends at 12:00.', 'it is said once')
  t.is(endText(near, false, time('12:00')), 'Your time on win11-02 is over.')
  t.is(endText(near, false, time('11:52')), '')
})
