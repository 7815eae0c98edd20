import { BERTH } from '../commands/listen-ports.ts'
import type { DataOf } from '../domain/event.ts'
import { COUNTED_MAX } from '../domain/events/refusals.ts'
import { refusalsDecider } from '../domain/refusals/decide.ts'
import { canonicalJson } from '../domain/values/canonical-json.ts'
import { REFUSALS_STREAM } from '../domain/values/ids.ts'
import { makeRecordNow, type RecordingOptions } from './process.ts'

/** From the first refusal of a count until it is recorded. */
const PERIOD_MS = 60_000
/** Characters of criteria in one count, so that it stays well below the append limit of one megabyte. */
const CRITERIA_MAX = 1 << 16

type Entry = DataOf<'RefusalsCounted'>['refusals'][number]
export type Refused = Omit<Entry, 'count'>

const beginCount = (from: number) => {
  const entries = new Map<string, { readonly refused: Refused; count: number }>()
  let criteria = 0
  let others = 0
  return {
    from,
    add: (refused: Refused): void => {
      const { user_id, code, sut_id, match } = refused
      const text = match === undefined ? '' : canonicalJson(match)
      const name = `${code} ${sut_id ?? text} ${user_id}`
      const known = entries.get(name)
      if (known !== undefined) known.count++
      else if (entries.size === COUNTED_MAX || criteria + text.length > CRITERIA_MAX) others++
      else {
        criteria += text.length
        entries.set(name, { refused, count: 1 })
      }
    },
    close: (requestId: string, to: number) => ({
      ...{ type: 'CountRefusals' as const, requestId, from, to },
      refusals: [...entries.values()].map(({ refused, count }) => ({ ...refused, count })),
      ...(others > 0 && { others }),
    }),
  }
}

/**
 * Counts refusals, and records them once a minute if there were any. One that cannot be recorded waits: it is repeated
 * under the same request id, as its response may have been lost, and what is refused meanwhile goes into the next.
 */
export const makeRefusalCounts = (options: RecordingOptions) => {
  const { clock, makeRequestId } = options
  const recordNow = makeRecordNow(options)
  let open: ReturnType<typeof beginCount> | undefined
  let closed: ReturnType<ReturnType<typeof beginCount>['close']> | undefined

  const record = async (age: number): Promise<void> => {
    if (closed === undefined && open !== undefined && Math.abs(clock.now() - open.from) >= age) {
      closed = open.close(makeRequestId(), clock.now())
      open = undefined
    }
    if (closed === undefined) return
    const outcome = await recordNow(refusalsDecider, REFUSALS_STREAM, closed, BERTH, closed.requestId)
    if (outcome !== undefined) closed = undefined
  }

  return {
    add: (refused: Refused): void => {
      open ??= beginCount(clock.now())
      open.add(refused)
    },
    failure: 'counts of refusals were not recorded; retrying',
    tick: () => record(PERIOD_MS),
    /** Records what is left. Resolves to whether nothing is. */
    finish: async (): Promise<boolean> => {
      for (let left = 0; left < 2 && (open ?? closed) !== undefined; left++) await record(0)
      return (open ?? closed) === undefined
    },
  }
}
