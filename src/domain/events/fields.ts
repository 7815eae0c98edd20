import { integer, matching } from '../codec/codec.ts'

import type { Notes } from './declaration.ts'

/** Fields that several kinds of events have. */

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

export const EXAMPLE_ID = '6b01828c97de47e8464dc470'
export const EXAMPLE_SUT = '6b01828c3298bbe6e6f520ab'
export const EXAMPLE_USER = '6b01828b6e9e663bff2b20c9'
export const EXAMPLE_TIME = '2030-05-02T05:58:11.400Z'

/** What readers of events are told of the ids. */
export const idNotes: Notes = {
  _id: ['The id of what was recorded: of a SUT, reservation, series, request, session, user or token.', EXAMPLE_ID],
  sut_id: ['The SUT.', EXAMPLE_SUT],
  user_id: ['The holder of the reservation or request, or the user of the token.', EXAMPLE_USER],
}
