import { useEffect, useRef, useState } from 'preact/hooks'
import type { Sut } from '../../../data/objects.ts'
import { RETRY_DELAY_MS } from '../../../data/reading.ts'
import { readUptimes } from '../../../features/machines/read-uptime.ts'
import type { Outage } from '../../../features/schedule/cells.ts'
import type { Span } from '../../../features/schedule/span.ts'
import { usePage } from '../../../page/context.ts'
import { outcomeOf } from '../../../service/api.ts'

type Outages = ReadonlyMap<string, readonly Outage[]>

const NOTHING: Outages = new Map()

/** After the last scroll, before asking for rows that came into view. */
const SCROLL_DELAY_MS = 150

/** What changes when an outage begins or ends. */
const markOf = ({ _id, monitoring }: Sut): string => `${_id} ${monitoring.status} ${monitoring.last_updated}`

/**
 * When the machines in view were not there, in the part of a span that is over. A machine is asked for again only when
 * its state has changed: outages that are over stay as they are.
 */
export const useOutages = (suts: readonly Sut[], span: Span, now: number): Outages => {
  const { api, control } = usePage()
  const isAnswered = control.isAnswered.value
  const [outages, setOutages] = useState(NOTHING)
  const [attempt, setAttempt] = useState(0)
  const read = useRef({ span, marks: new Map<string, string>() })
  if (read.current.span.from !== span.from || read.current.span.zoom !== span.zoom)
    read.current = { span, marks: new Map() }
  const isOver = span.from < now && span.zoom !== 'month'
  const missing = isOver ? suts.filter((sut) => read.current.marks.get(sut._id) !== markOf(sut)) : []
  const key = missing.map(markOf).join()
  useEffect(() => {
    if (missing.length === 0 || !isAnswered) return undefined
    const { current } = read
    const ask = async (): Promise<void> => {
      const ids = missing.map(({ _id }) => _id)
      const found = await outcomeOf(readUptimes(api, ids, span))
      if (found.refused !== undefined) {
        again = setTimeout(() => setAttempt((before) => before + 1), RETRY_DELAY_MS)
        return
      }
      if (read.current !== current) return
      for (const sut of missing) current.marks.set(sut._id, markOf(sut))
      setOutages((before) => new Map([...before, ...[...found].map(([id, uptime]) => [id, uptime.outages] as const)]))
    }
    let again: ReturnType<typeof setTimeout> | undefined
    const timer = setTimeout(ask, SCROLL_DELAY_MS)
    return () => {
      clearTimeout(timer)
      clearTimeout(again)
    }
  }, [key, span.from, span.zoom, isAnswered, attempt])
  return outages
}
