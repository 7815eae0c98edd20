import { listenPortProjection } from './listen-port.ts'
import type { Projection } from './projection.ts'
import { refusalsProjection } from './refusals.ts'
import { reservationProjection } from './reservation.ts'
import { retryKeyProjection } from './retry-key.ts'
import { seriesProjection } from './series.ts'
import { sessionProjection } from './session.ts'
import { sutProjection } from './sut.ts'
import { sutRequestProjection } from './sut-request.ts'
import { tokenProjection } from './token.ts'
import { userProjection } from './user.ts'

export const projections: readonly Projection[] = [
  sutProjection,
  reservationProjection,
  seriesProjection,
  sessionProjection,
  sutRequestProjection,
  userProjection,
  tokenProjection,
  listenPortProjection,
  retryKeyProjection,
  refusalsProjection,
]
