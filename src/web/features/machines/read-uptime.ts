import { toIso } from '../../format/times.ts'
import type { Readable } from '../../service/api.ts'
import type { Stretch } from '../schedule/calendar.ts'
import { type Uptime, uptimeOf } from './uptime.ts'

const AT_ONCE = 100

const spanOf = ({ from, to }: Stretch): string =>
  `from=${encodeURIComponent(toIso(from))}&to=${encodeURIComponent(toIso(to))}`

/** When machines were not there, of at most 100. */
export const readUptimes = async (
  api: Readable,
  sutIds: readonly string[],
  span: Stretch,
): Promise<ReadonlyMap<string, Uptime>> => {
  const ids = sutIds.slice(0, AT_ONCE)
  if (ids.length === 0) return new Map()
  const query = `${ids.map((id) => `sut_id=${id}`).join('&')}&${spanOf(span)}`
  const { value } = await api.get(`/api/outages?${query}`)
  return new Map(value.suts.map((each) => [each.sut_id, uptimeOf(each, span.to)]))
}
