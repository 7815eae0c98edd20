import { useState } from 'preact/hooks'
import { command } from '../../features/holding/commands.ts'
import { bodyOf, type Outcome } from '../../features/reserve/request.ts'
import type { Reserved } from '../../features/reserve/reserved-note.tsx'
import { formatWhen } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { useIsMounted } from '../../page/mounted.ts'
import { Refused } from '../../service/api.ts'
import type { Take } from './choices.ts'

interface Options {
  readonly userId: string
  /** Seconds after which it is released where nobody is connected; undefined for never. */
  readonly keepalive: number | undefined
  readonly onRefused: (sutId: string | undefined) => void
  readonly onDone: (reserved: Reserved) => void
}

/** Books what is chosen. Sent again unchanged, it does nothing twice. */
export const useBooking = ({ userId, keepalive, onRefused, onDone }: Options) => {
  const page = usePage()
  const isMounted = useIsMounted()
  const [outcome, setOutcome] = useState<Outcome>({ kind: 'idle' })
  const book = async ({ offer, asked }: Take, isBeyondQuota = false): Promise<void> => {
    if (outcome.kind === 'sending') return
    setOutcome({ kind: 'sending', since: Date.now() })
    const body = {
      ...bodyOf({ ...asked, sutId: offer.sutId }, userId, page.clock.peek(), isBeyondQuota),
      ...(keepalive !== undefined && { keepalive }),
    }
    const result = await command(page, '/api/sut_reservation/create', body)
    if (!isMounted()) return
    if (result instanceof Refused) {
      setOutcome({ kind: 'refused', refused: result })
      onRefused(result.problem.code === 'reservation_conflict' ? offer.sutId : undefined)
      return
    }
    setOutcome({ kind: 'idle' })
    const [from, now] = [Date.parse(result.start_time), page.clock.peek()]
    const until = `until ${formatWhen(Date.parse(result.end_time), now)}`
    onDone({ machine: offer.name, when: from > now ? `from ${formatWhen(from, now)} ${until}` : until })
  }
  return { outcome, book }
}
