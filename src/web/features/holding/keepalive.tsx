import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { formatWhen } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { Icon } from '../../parts/icon.tsx'
import { Refused } from '../../service/api.ts'

/** Reservations that are released unless something keeps them alive, such as those of pipelines. */

/** Between reads, as no change tells that one was kept alive: half of the time that is left, within these bounds. */
const LEAST_INTERVAL_MS = 10_000
const MOST_INTERVAL_MS = 300_000

/** Until when a reservation is kept, in Unix milliseconds; undefined where it need not be, and until that was read. */
const useKeptUntil = (id: string): number | undefined => {
  const { api } = usePage()
  const [until, setUntil] = useState<number | undefined>(undefined)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let isShown = true
    const again = (time: number): void => {
      const wait = Math.min(Math.max((time - Date.now()) / 2, LEAST_INTERVAL_MS), MOST_INTERVAL_MS)
      if (isShown) timer = setTimeout(read, wait)
    }
    const read = async (): Promise<void> => {
      try {
        const { keptUntil } = await api.get(`/api/sut_reservation/${id}`)
        const time = keptUntil === undefined ? undefined : Date.parse(keptUntil)
        if (isShown) setUntil(time)
        if (time !== undefined) again(time)
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        again(Date.now())
      }
    }
    void read()
    return () => {
      isShown = false
      clearTimeout(timer)
    }
  }, [id])
  return until
}

/** Says until when a reservation is kept, and what happens then, if that is before its end. */
export const KeptNote = ({ id, end }: { readonly id: string; readonly end: number }): VNode | undefined => {
  const now = usePage().clock.value
  const until = useKeptUntil(id)
  if (until === undefined || until >= end) return undefined
  return (
    <span class="small muted row may">
      <Icon name="clock" />
      Kept until {formatWhen(until, now)}, then released unless kept alive
    </span>
  )
}
