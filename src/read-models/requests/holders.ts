import type { Reservation } from '../../../projections/reservation.ts'
import { epochSecondsOf } from '../../domain/values/instant.ts'
import { StoreUnavailable } from '../../event-store/event-store.ts'
import type { Views } from '../views.ts'
import type { Noted } from './survey.ts'

/** Reservations that are read of a few SUTs: more than hold them one after the other where somebody waits. */
const READ_MAX = 100

/** Makes the function that finds who has SUTs from a moment on until they are free, in the order of time. */
export const makeHoldersOf =
  ({ read }: Pick<Views, 'read'>) =>
  async (suts: readonly Noted[], now: number): Promise<ReadonlyMap<string, readonly string[]>> => {
    const latest = Math.max(...suts.map(({ until }) => until))
    const span = { endsAfter: now, startsBefore: latest, isHeld: true }
    const query = { sut_ids: suts.map(({ _id }) => _id), ...span, limit: READ_MAX, offset: 0 }
    // Without names it is still explained.
    const page = await read('reservations', query)?.catch((error: unknown) => {
      if (error instanceof StoreUnavailable) return undefined
      throw error
    })
    const held = (page?.listed.documents ?? [])
      .map((document) => {
        const { sut_id, user_id, start_time } = JSON.parse(document) as Reservation
        return { sut_id, user_id, start: epochSecondsOf(start_time) }
      })
      .sort((a, b) => a.start - b.start)
    return new Map(
      suts.map(({ _id, until }) => {
        const own = held.filter(({ sut_id, start }) => sut_id === _id && start < until)
        return [_id, [...new Set(own.map(({ user_id }) => user_id))]]
      }),
    )
  }
