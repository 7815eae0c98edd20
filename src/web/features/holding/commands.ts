import { useState } from 'preact/hooks'
import type { Reservation } from '../../data/objects.ts'
import { type PageContext, usePage } from '../../page/context.ts'
import { Refused } from '../../service/api.ts'

export const command = async (
  { api, reservations, clock }: Pick<PageContext, 'api' | 'reservations' | 'clock'>,
  path: string,
  body: object | undefined,
): Promise<Reservation | Refused> => {
  try {
    const { value, position } = await api.send(path, { body })
    const reservation = value as Reservation
    const isCancelled = path.endsWith('/cancel')
    // What had not begun is gone, and answered as it was.
    if (isCancelled && Date.parse(reservation.start_time) > clock.peek()) reservations.remove(reservation._id)
    else reservations.put(reservation, isCancelled ? undefined : position)
    return reservation
  } catch (error) {
    if (error instanceof Refused) return error
    throw error
  }
}

export interface Commands {
  readonly refused: Refused | undefined
  readonly isBusy: boolean
  readonly sending: string | undefined
  /** Sends `extend`, `shorten`, `cancel` or `update`, and tells whether it was done. */
  readonly run: (verb: string, body?: object) => Promise<boolean>
}

export const useCommands = (reservationId: string): Commands => {
  const page = usePage()
  const [refused, setRefused] = useState<Refused | undefined>(undefined)
  const [sending, setSending] = useState<string | undefined>(undefined)
  const run = async (verb: string, body?: object): Promise<boolean> => {
    setSending(verb)
    setRefused(undefined)
    const result = await command(page, `/api/sut_reservation/${reservationId}/${verb}`, body)
    setSending(undefined)
    if (result instanceof Refused) setRefused(result)
    return !(result instanceof Refused)
  }
  return { refused, sending, isBusy: sending !== undefined, run }
}
