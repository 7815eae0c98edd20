import type { Actor } from '../domain/decider.ts'
import type { DataOf } from '../domain/event.ts'
import { COUNTED_MAX } from '../domain/events/refusals.ts'
import { refusalsDecider } from '../domain/refusals/decide.ts'
import { canonicalJson } from '../domain/values/canonical-json.ts'
import { REFUSALS_STREAM } from '../domain/values/ids.ts'
import { makeRecordNow, type RecordingOptions, runRepeatedly } from './process.ts'

/** The actor of counts. */
const BERTH: Actor = { _id: 'berth', role: 'system' }

/** From the first refusal of a count until it is recorded. */
const PERIOD_MS = 60_000
/** Between attempts to record a count. */
const RETRY_MS = 1_000
/** Characters of criteria in one count, so that it stays well below the append limit of one megabyte. */
const CRITERIA_MAX = 1 << 16

type Entry = DataOf<'RefusalsCounted'>['refusals'][number]
/** A refusal to count. */
export type Refused = Omit<Entry, 'count'>

/** A count under way. */
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
export const makeRefusalCounts = (clock: () => number) => {
  let open: ReturnType<typeof beginCount> | undefined
  let closed: ReturnType<ReturnType<typeof beginCount>['close']> | undefined

  const close = (makeRequestId: () => string): void => {
    if (closed !== undefined || open === undefined) return
    closed = open.close(makeRequestId(), clock())
    open = undefined
  }
  const hasPassed = (since: number, milliseconds: number): boolean => Math.abs(clock() - since) >= milliseconds

  return {
    add: (refused: Refused): void => {
      open ??= beginCount(clock())
      open.add(refused)
    },
    /**
     * Records counts until the signal aborts, and then what is left.
     *
     * @param onLost called if that cannot be recorded
     */
    run: async (options: RecordingOptions, onLost: () => void): Promise<void> => {
      const { makeRequestId, onError } = options
      const recordNow = makeRecordNow(options)
      let triedAt = Number.NEGATIVE_INFINITY
      const record = async (): Promise<void> => {
        if (closed === undefined) return
        triedAt = clock()
        const recorded = await recordNow(refusalsDecider, REFUSALS_STREAM, closed, BERTH, closed.requestId)
        if (recorded === undefined) return
        closed = undefined
        triedAt = Number.NEGATIVE_INFINITY
      }
      await runRepeatedly(options, async () => {
        if (open !== undefined && hasPassed(open.from, PERIOD_MS)) close(makeRequestId)
        if (hasPassed(triedAt, RETRY_MS)) await record()
      })
      for (let left = 0; left < 2 && (open ?? closed) !== undefined; left++) {
        close(makeRequestId)
        await record().catch(onError)
      }
      if ((open ?? closed) !== undefined) onLost()
    },
  }
}
