/** When SUTs were offline. Times are in minutes. */

import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import type { Event, Recorded } from '../../../src/domain/event.ts'
import { OFFLINE_CAUSES } from '../../../src/domain/events/monitoring.ts'
import { formatMilliseconds } from '../../../src/domain/values/instant.ts'
import type { ViewsFile } from '../../../src/read-models/file/views-file.ts'
import type { OutageListQuery } from '../../../src/read-models/lists/outages.ts'
import {
  metadata,
  SUT_ID,
  sutCreated,
  sutMonitoringDisabled,
  sutMonitoringEnabled,
  sutRetired,
  sutUpdated,
  sutWentOffline,
  sutWentOnline,
} from '../../domain/builders.ts'
import { rounds } from '../../thorough.ts'
import { filled } from '../fill.ts'

type Happened = readonly [minute: number, event: Event]

const MINUTE = 60_000
const timeOf = (minute: number): number => Date.parse('2030-05-02T05:00:00Z') + minute * MINUTE
const minuteOf = (time: number | null): number | null => time && (time - timeOf(0)) / MINUTE

/** Folds what happened into a file, in transactions of so many events. */
const folded = (t: Pick<ExecutionContext, 'teardown'>, past: readonly Happened[], together: number): ViewsFile => {
  const events = past.map(([minute, event], position) => {
    const common = { id: `event ${position}`, stream: 'story', revision: position, storePosition: position }
    return { ...common, ...event, metadata: metadata(formatMilliseconds(timeOf(minute))) } as Recorded
  })
  const file = filled(events, { isCommitted: (n) => n % together === together - 1 })
  t.teardown(file.close)
  return file
}

const spanOf = (from: number, to: number): OutageListQuery => ({
  sut_ids: [SUT_ID],
  from: timeOf(from),
  to: timeOf(to),
  max: 1_000,
})

/** The outages and the unknown parts of a span, as `from-to cause` and `from-to`. */
const found = ({ lists }: ViewsFile, from: number, to: number) => {
  const [only] = lists.outages(spanOf(from, to)) ?? []
  return {
    outages: only?.outages.map((one) => `${minuteOf(one.from)}-${minuteOf(one.to) ?? ''} ${one.cause}`),
    unknown: only?.unknown.map((one) => `${minuteOf(one.from)}-${minuteOf(one.to)}`),
  }
}

const created: Happened = [0, sutCreated()]

test('nothing is known before a SUT, while it is not monitored, and until it is probed', (t) => {
  const file = folded(
    t,
    [
      [10, sutCreated()],
      [20, sutMonitoringEnabled()],
      [30, sutWentOffline()],
      [40, sutMonitoringDisabled()],
      [50, sutMonitoringEnabled()],
      [60, sutWentOnline()],
      [70, sutUpdated({ os: 'linux' })],
      [80, sutUpdated({ port: 1 })],
      [90, sutWentOffline('in_use')],
      [95, sutMonitoringEnabled(10)],
      [100, sutRetired()],
    ],
    3,
  )
  const outages = ['30-40 refused', '90-100 in_use']
  t.deepEqual(found(file, 0, 120), { outages, unknown: ['0-30', '40-60', '80-90', '100-120'] })
  t.deepEqual(found(file, 0, 5), { outages: [], unknown: ['0-5'] }, 'before it was created')
})

test('a clock of another instance that is behind leaves no outage that ends before it begins', (t) => {
  const file = folded(
    t,
    [created, [1, sutMonitoringEnabled()], [2, sutWentOnline()], [10, sutWentOffline()], [9, sutWentOnline()]],
    1,
  )
  t.deepEqual(found(file, 0, 60), { outages: [], unknown: ['0-2'] })
})

test('SUTs that do not exist are left out, and more changes than allowed are not read', (t) => {
  const file = folded(t, [created, [1, sutMonitoringEnabled()], [2, sutWentOnline()], [3, sutWentOffline()]], 1)
  const query = { ...spanOf(0, 60), sut_ids: ['5'.repeat(24), SUT_ID, SUT_ID] }
  t.deepEqual(
    file.lists.outages(query)?.map(({ sut_id }) => sut_id),
    [SUT_ID],
  )
  t.is(file.lists.outages({ ...query, max: 3 })?.length, 1)
  t.is(file.lists.outages({ ...query, max: 2 }), undefined)
})

/** What a list of whole minutes tells, each with its status and cause. */
const oneByOne = (past: readonly Happened[], from: number, to: number) => {
  let [isMonitored, status] = [false, 'unknown']
  let since = 0
  const offline: string[] = []
  const unknown: number[] = []
  for (let minute = 0; minute < to; minute++) {
    for (const [, event] of past.filter(([at]) => at === minute)) {
      const before = status
      if (event.type === 'SutMonitoringEnabled') isMonitored = true
      if (event.type === 'SutMonitoringDisabled') [isMonitored, status] = [false, 'unknown']
      if (isMonitored && event.type === 'SutWentOnline') status = 'online'
      const isUp = status === 'unknown' || status === 'online'
      if (isMonitored && event.type === 'SutWentOffline' && isUp) status = event.data.cause
      if (status !== before) since = minute
    }
    if (minute < from) continue
    if (status === 'unknown') unknown.push(minute)
    else if (status !== 'online') offline.push(`${minute} ${since} ${status}`)
  }
  return { offline, unknown }
}

const anEvent = fc.oneof(
  fc.constant(sutMonitoringEnabled()),
  fc.constant(sutMonitoringDisabled()),
  fc.constant(sutWentOnline()),
  fc.constantFrom(...OFFLINE_CAUSES).map(sutWentOffline),
)
// One change a minute.
const aPast = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 60 }), anEvent), { selector: ([minute]) => minute, maxLength: 25 })
  .map((some): readonly Happened[] => [created, ...some.toSorted(([a], [b]) => a - b)])

test('property: a minute is in an outage or unknown exactly if it was', (t) => {
  fc.assert(
    fc.property(aPast, fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 60 }), (past, from, length) => {
      const later: (() => void)[] = []
      const file = folded({ teardown: (close) => void later.push(close as () => void) }, past, 4)
      const to = from + length
      const [only] = file.lists.outages(spanOf(from, to)) ?? []
      const minutes = Array.from({ length }, (_, n) => from + n)
      const offline = minutes.flatMap((minute) => {
        const at = timeOf(minute)
        const around = only?.outages.filter((one) => one.from <= at && at < (one.to ?? Number.POSITIVE_INFINITY)) ?? []
        return around.map((one) => `${minute} ${minuteOf(one.from)} ${one.cause}`)
      })
      const unknown = minutes.filter((minute) => {
        const at = timeOf(minute)
        return only?.unknown.some((one) => one.from <= at && at < one.to)
      })
      const shown = { offline, unknown }
      for (const close of later) close()
      t.deepEqual(shown, oneByOne(past, from, to))
    }),
    { numRuns: rounds(25, 100) },
  )
})
