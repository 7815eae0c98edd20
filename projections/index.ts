import type { Projection } from './projection.ts'
import { reservationProjection } from './reservation.ts'
import { retryKeyProjection } from './retry-key.ts'
import { sutProjection } from './sut.ts'

/** What the host folds the log into. */
export const projections = [
  sutProjection,
  reservationProjection,
  retryKeyProjection,
] as unknown as readonly Projection[]
