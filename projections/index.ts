import { listenPortProjection } from './listen-port.ts'
import type { Projection } from './projection.ts'
import {
  quotaExemptionProjection,
  reservationProjection,
  seriesMemberProjection,
  seriesProjection,
} from './reservation.ts'
import { reservationKeepaliveProjection, reservationRunProjection } from './reservation-run.ts'
import { retryKeyProjection } from './retry-key.ts'
import { sessionProjection } from './session.ts'
import { sutProjection, sutStatusProjection } from './sut.ts'
import { sutDisplayProjection } from './sut-display.ts'
import { sutRequestProjection } from './sut-request.ts'
import { endedLoginProjection, tokenProjection } from './token.ts'
import { userProjection } from './user.ts'

export const projections: readonly Projection[] = [
  sutProjection,
  reservationProjection,
  reservationRunProjection,
  reservationKeepaliveProjection,
  retryKeyProjection,
  listenPortProjection,
  sutDisplayProjection,
  sutStatusProjection,
  sessionProjection,
  sutRequestProjection,
  seriesProjection,
  seriesMemberProjection,
  userProjection,
  tokenProjection,
  endedLoginProjection,
  quotaExemptionProjection,
]
