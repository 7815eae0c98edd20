import { NOTHING } from '../../data/query.ts'
import type { Stretch } from '../../features/schedule/calendar.ts'
import { toIso } from '../../format/format.ts'
import { usePage, useReading } from '../../page/context.ts'
import type { Api } from '../../service/api.ts'
import type { DemandRow, UsageRow } from './usage-data.ts'

/** Reports change with every second: they are read again some time later, and when one comes back. */
const AGAIN_MS = 300_000

/** Rows of a request, about: more of them would hold the page while they are parsed. */
const ROWS = 8_000

export const reportQuery = ({ from, to }: Stretch, by: string, bucket: string): string =>
  new URLSearchParams({
    ...{ from: toIso(from), to: toIso(to), by, bucket },
    time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'UTC',
  }).toString()

let last: Promise<unknown> = Promise.resolve()

/** One report at a time: the service makes only a few for a user at once. */
const inTurn = <A>(read: () => Promise<A>): Promise<A> => {
  const next = last.then(read)
  last = next.catch(() => undefined)
  return next
}

const readUsage = (api: Api, query: string): Promise<readonly UsageRow[]> =>
  inTurn(async () => (await api.get(`/api/report/usage?${query}`)).value.rows)

const readDemand = (api: Api, query: string): Promise<readonly DemandRow[]> =>
  inTurn(async () => (await api.get(`/api/report/demand?${query}`)).value.rows)

const useReport = <R>(read: (api: Api, query: string) => Promise<readonly R[]>, family: string, query: string) => {
  const { api } = usePage()
  return useReading({
    ...{ key: `${family} ${query}`, family, ...NOTHING, again: () => AGAIN_MS },
    read: () => read(api, query),
  })
}

export const useDemand = (period: Stretch, bucket: string) =>
  useReport(readDemand, `demand ${bucket}`, reportQuery(period, 'none', bucket))

export const useUsage = (period: Stretch, by: string, bucket: string) =>
  useReport(readUsage, `usage ${by} ${bucket}`, reportQuery(period, by, bucket))

interface Plotted {
  readonly by: string
  readonly bucket: string
  /** The start of each bucket. */
  readonly starts: readonly number[]
  /** The one of many that is plotted; undefined for all together. */
  readonly chosen: { readonly key: string | null } | undefined
  readonly many: number
}

/** What a plot shows. The rows of one are picked from those of all, which are asked for some buckets at a time. */
export const useSeries = (period: Stretch, { by, bucket, starts, chosen, many }: Plotted) => {
  const { api } = usePage()
  const wanted = chosen === undefined ? 'none' : by
  const step = chosen === undefined ? starts.length : Math.max(1, Math.floor(ROWS / many))
  return useReading<readonly UsageRow[]>({
    ...{ key: `series ${reportQuery(period, wanted, bucket)} ${chosen?.key}`, ...NOTHING, again: () => AGAIN_MS },
    read: async () => {
      const rows: UsageRow[] = []
      for (let n = 0; n < starts.length; n += step) {
        const [from = 0, to = period.to] = [starts[n], starts[n + step]]
        const part = await readUsage(api, reportQuery({ from: Math.max(period.from, from), to }, wanted, bucket))
        rows.push(...part.filter(({ key }) => chosen === undefined || key === chosen.key))
      }
      return rows
    },
  })
}
