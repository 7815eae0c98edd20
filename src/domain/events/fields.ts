import { integer, matching } from '../codec/codec.ts'

export const assignedId = matching('assigned id', /^[0-9a-f]{24}$/, 'must be 24 lower-case hex digits')
export const listenPort = integer(1, 65535)
export const windowEnd = matching(
  'window end',
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/,
  'must be a date-time like 2030-05-02T08:15:00+02:00',
)

export const recordedTime = matching(
  'time',
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  'must be a time like 2030-05-02T05:58:11.400Z',
)

export const whole = integer(0, Number.MAX_SAFE_INTEGER)
