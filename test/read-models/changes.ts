import { type Reservation, type ReservationInternal, reservationProjection } from '../../projections/reservation.ts'
import type { Recorded } from '../../src/domain/event.ts'
import { epochMillisecondsOf, epochSecondsOf } from '../../src/domain/values/instant.ts'
import { toPublicPosition } from '../../src/domain/values/position.ts'
import type { ViewsFile } from '../../src/read-models/file/views-file.ts'
import { makePending } from '../../src/read-models/projector/pending.ts'
import type { RowChange } from '../../src/read-models/tables/version.ts'
import { alice, LISTEN_PORT, SUT_ID, wall } from '../domain/builders.ts'
import { logged } from '../event-store/new-events.ts'

/** A reservation from 05:00 to 05:15. */
const reservationInFile = (_id: string): Reservation => ({
  ...{ _id, created_at: '2030-05-02T05:00:00.000Z', updated_at: '2030-05-02T05:00:00.000Z' },
  ...{ start_time: wall('05:00'), end_time: wall('05:15') },
  ...{ user_id: alice, sut_id: SUT_ID, listen_port: LISTEN_PORT },
})

export const internalOf = ({ start_time, end_time, created_at }: Reservation): ReservationInternal => {
  const [start, end] = [epochSecondsOf(start_time), epochSecondsOf(end_time)]
  const lateness = Math.max(epochMillisecondsOf(created_at) - start * 1000, 0)
  return { start, end, lateness, counted: 1, is_exempt: false, recorded: 'nothing' }
}

/** Folds events of reservations, on top of those that the file has, which are all that were not made by an event. */
export const makeChangesOf = (
  inFile: (id: string) => Reservation = reservationInFile,
): ((event: Recorded) => readonly RowChange[]) => {
  const newest = (_: string, id: string) => {
    const document = inFile(id)
    const texts = { document: JSON.stringify(document), internal: JSON.stringify(internalOf(document)) }
    return { id, ended: null, position: 0, created: 0, revision: 0, observed: 0, ...texts }
  }
  const pending = makePending([reservationProjection], { newest } as unknown as ViewsFile)
  let position = 0
  return (event) => pending.fold(logged(event), toPublicPosition(++position))
}
