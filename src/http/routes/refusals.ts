import type { Code } from '../protocol/problem.ts'

/** Codes with which several routes about reservations refuse. */

/** Of a window, whatever form it has. */
export const OF_WINDOW: readonly Code[] = [
  'window_empty',
  'window_over',
  'window_too_long',
  'window_too_far',
  'window_in_the_past',
]
export const OF_FORMS: readonly Code[] = ['window_required', 'window_ambiguous', ...OF_WINDOW]
export const OF_BOOKING: readonly Code[] = ['forbidden', 'sut_inactive', 'reservation_conflict', 'quota_exceeded']
export const OF_SUT: readonly Code[] = ['sut_not_found', 'sut_retired']
