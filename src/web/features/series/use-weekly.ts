import { useEffect } from 'preact/hooks'
import type { Reservation, Sut } from '../../data/objects.ts'
import { useCommand } from '../../parts/commands/command.tsx'
import type { Stretch } from '../schedule/calendar.ts'
import { firstOf, seriesBodyOf, useOccurrences } from './series-fields.tsx'
import { useSeries } from './use-series.ts'

/** Two months. */
export const USUAL_TIMES = 8

interface Options {
  readonly sut: Sut
  readonly window: Stretch
  readonly userId: string
  readonly times: number
  /** Called with what was made. */
  readonly onDone: (all: readonly Reservation[]) => void
}

export const useWeekly = ({ sut, window, userId, times, onDone }: Options) => {
  const command = useCommand()
  const { create } = useSeries(command)
  const first = firstOf(window)
  const dates = useOccurrences(sut, window, times)
  const isFree = dates.occurrences?.every((each) => each.taken === undefined) ?? false
  const reserve = async (isBeyondQuota = false): Promise<void> => {
    if (!isFree || command.isOff) return
    const beyond = isBeyondQuota ? ({ beyond_quota: true } as const) : {}
    const body = seriesBodyOf(sut._id, first, times, { user_id: userId, ...beyond })
    await create(body, onDone)
  }
  // Why something else was refused does not matter any more.
  useEffect(command.forgive, [first.from, first.to, times, userId])
  return { command, first, dates, isFree, reserve }
}
