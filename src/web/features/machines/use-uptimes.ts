import { useEffect, useMemo, useRef } from 'preact/hooks'
import { toIso } from '../../format/format.ts'
import { useReading } from '../../page/context.ts'
import type { Readable } from '../../service/api.ts'
import type { Stretch } from '../schedule/calendar.ts'
import { type Uptime, uptimeOf } from './uptime.ts'

type Uptimes = ReadonlyMap<string, Uptime>

const NONE: Uptimes = new Map()

const AT_ONCE = 100

/** After the last scroll, before asking for rows that came into view. */
const SCROLL_DELAY_MS = 150

/** When machines were not there, of at most 100. */
export const readUptimes = async (
  api: Readable,
  sutIds: readonly string[],
  { from, to }: Stretch,
): Promise<Uptimes> => {
  if (sutIds.length === 0) return NONE
  const ids = sutIds.slice(0, AT_ONCE).map((id) => ['sut_id', id])
  const query = new URLSearchParams([...ids, ['from', toIso(from)], ['to', toIso(to)]])
  const { value } = await api.get(`/api/outages?${query}`)
  return new Map(value.suts.map((each) => [each.sut_id, uptimeOf(each, to)]))
}

/** When the machines in view were not there. What was read of others stays, and of another span until this was read. */
export const useUptimes = (inView: readonly string[], span: Stretch): Uptimes => {
  const kept = useRef(NONE)
  const { value, readVisible } = useReading<Uptimes>({
    key: `uptimes ${span.from} ${span.to}`,
    // Of many that have changed out of view, the rest is read when one sees it.
    read: async (source, ids, before = NONE) => {
      const kept = [...before].filter(([id]) => ids !== undefined && !ids.includes(id))
      return new Map([...kept, ...(await readUptimes(source, ids ?? inView, span))])
    },
    of: ({ kind, _id }) => (kind === 'sut' && (kept.current.has(_id) || inView.includes(_id)) ? _id : undefined),
    isInView: (id) => inView.includes(id),
  })
  const missing = value === undefined ? '' : inView.filter((id) => !value.has(id)).join()
  useEffect(() => {
    if (missing === '') return undefined
    const timer = setTimeout(() => readVisible(missing.split(',')), SCROLL_DELAY_MS)
    return () => clearTimeout(timer)
  }, [missing, readVisible])
  return useMemo(() => {
    kept.current = new Map([...kept.current, ...(value ?? NONE)])
    return kept.current
  }, [value])
}
