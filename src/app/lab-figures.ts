import type { LabFigures, SutStateName } from '../http/routes/metrics/gauges.ts'
import type { ReadList } from '../read-models/list-reader.ts'
import type { ListResult } from '../read-models/list-reads.ts'
import type { SutState } from '../read-models/lists/lists.ts'

/** What the views say of the whole lab, for metrics. */

interface LabFiguresOptions {
  readonly views: { readonly read: ReadList }
  /** Unix milliseconds. */
  readonly clock: () => number
}

/** Each SUT has one: that it may not be reserved matters more than what probes found. */
const stateOf = ({ isActive, monitoring }: SutState): SutStateName => {
  if (!isActive) return 'inactive'
  return monitoring === 'disabled' ? 'not_monitored' : monitoring
}

const shownBy = async <A>(reading: Promise<ListResult<A>> | undefined): Promise<A> => {
  if (reading === undefined) throw new Error('lists cannot be read now')
  return (await reading).listed
}

export const makeLabFigures = ({ views, clock }: LabFiguresOptions): LabFigures => {
  const waiting = (offset: number) => shownBy(views.read('sutRequests', { status: 'waiting', limit: 1, offset }))
  return {
    suts: async () => {
      const counts = { online: 0, offline: 0, unknown: 0, not_monitored: 0, inactive: 0 }
      for (const state of await shownBy(views.read('sutStates'))) counts[stateOf(state)] += state.count
      return counts
    },
    running: async () => {
      const second = Math.floor(clock() / 1_000)
      const span = { endsAfter: second, startsBefore: second + 1, isHeld: true }
      return (await shownBy(views.read('reservations', { ...span, limit: 1, offset: 0 }))).count
    },
    waiting: async () => (await waiting(0)).count,
    longestWait: async () => {
      const { count } = await waiting(0)
      // The newest are listed first.
      const [oldest] = count === 0 ? [] : (await waiting(count - 1)).documents
      if (oldest === undefined) return 0
      return Math.max(0, clock() - Date.parse((JSON.parse(oldest) as { created_at: string }).created_at)) / 1_000
    },
  }
}
