import { useState } from 'preact/hooks'
import type { Sut } from '../../data/objects.ts'
import { usePage } from '../../page/context.ts'
import { useIsMounted } from '../../page/mounted.ts'
import { Refused } from '../../service/api.ts'
import type { Outcome } from '../reserve/request.ts'
import type { Stretch } from '../schedule/calendar.ts'
import { firstOf, seriesBodyOf, useOccurrences } from './fields.tsx'
import { createSeries } from './series.tsx'

/** Two months. */
export const USUAL_TIMES = 8

interface Options {
  readonly sut: Sut
  readonly window: Stretch
  readonly userId: string
  readonly times: number
  readonly onDone: (times: number) => void
}

export const useWeekly = ({ sut, window, userId, times, onDone }: Options) => {
  const page = usePage()
  const isMounted = useIsMounted()
  const [outcome, setOutcome] = useState<Outcome>({ kind: 'idle' })
  const first = firstOf(window)
  const { occurrences, failed } = useOccurrences(sut, window, times)
  const isFree = occurrences?.every((each) => each.taken === undefined) ?? false
  const send = async (isBeyondQuota = false): Promise<void> => {
    if (outcome.kind === 'sending' || !isFree || !page.control.isAnswered.peek()) return
    setOutcome({ kind: 'sending', since: Date.now() })
    const beyond = isBeyondQuota ? ({ beyond_quota: true } as const) : {}
    const body = seriesBodyOf(sut._id, first, times, { user_id: userId, ...beyond })
    const refused = await createSeries(page, body)
    if (!isMounted()) return
    setOutcome(refused instanceof Refused ? { kind: 'refused', refused } : { kind: 'idle' })
    if (!(refused instanceof Refused)) onDone(times)
  }
  return {
    ...{ first, occurrences, failed, isFree, send },
    isSending: outcome.kind === 'sending',
    refused: outcome.kind === 'refused' ? outcome.refused : undefined,
    forget: () => setOutcome({ kind: 'idle' }),
  }
}
