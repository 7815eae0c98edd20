import { quotaExemptionProjection, type Reservation, reservationProjection } from '../../projections/reservation.ts'
import { reservationKeepaliveProjection, reservationRunProjection } from '../../projections/reservation-run.ts'
import type { Recorded } from '../../src/domain/event.ts'
import { toPublicPosition } from '../../src/domain/values/position.ts'
import type { ViewsFile } from '../../src/read-models/file/views-file.ts'
import { makePending } from '../../src/read-models/projector/pending.ts'
import type { RowChange } from '../../src/read-models/tables/version.ts'
import { alice, LISTEN_PORT, SUT_ID, wall } from '../domain/builders.ts'
import { logged } from '../event-store/new-events.ts'

const PROJECTIONS = [
  ...[reservationProjection, reservationRunProjection, reservationKeepaliveProjection],
  quotaExemptionProjection,
]

/** A reservation from 05:00 to 05:15. */
export const reservationInFile = (_id: string): Reservation => ({
  ...{ _id, created_at: '2030-05-02T05:00:00.000Z', updated_at: '2030-05-02T05:00:00.000Z' },
  ...{ start_time: wall('05:00'), end_time: wall('05:15') },
  ...{ user_id: alice, sut_id: SUT_ID, listen_port: LISTEN_PORT },
})

/** Folds events of reservations, on top of those that the file has, which are all that were not made by an event. */
export const makeChangesOf = (
  inFile: (id: string) => Reservation = reservationInFile,
): ((event: Recorded) => readonly RowChange[]) => {
  const newest = (projection: string, id: string) => {
    const version = { id, ended: null, position: 0, created: 0, revision: 0 }
    return projection === 'reservation' ? { ...version, document: JSON.stringify(inFile(id)) } : undefined
  }
  const pending = makePending(PROJECTIONS, { newest } as unknown as ViewsFile)
  let position = 0
  return (event) => pending.fold(logged(event), toPublicPosition(++position))
}
