import { setImmediate as turn } from 'node:timers/promises'
import type { Sut, SutInternal } from '../../../projections/sut.ts'
import type { Reachability } from '../../domain/monitoring/decide.ts'
import type { Cause } from '../../domain/monitoring/status.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { SinceBoot } from '../../domain/values/units.ts'
import type { Views } from '../../read-models/views.ts'

export interface MonitoredSut {
  readonly sut: Sut
  /** Milliseconds between probes. */
  readonly interval: number
  readonly shown: { readonly status: Reachability; readonly changes: number; readonly cause: Cause | undefined }
}

/** SUTs per page: a page must not hold the thread for long. */
const PAGE_SIZE = 100

interface Options {
  readonly views: Pick<Views, 'newest' | 'read' | 'watch'>
  /** Setting the wall clock would advance or delay probes. */
  readonly sinceBoot: SinceBoot
  /** Called with a SUT that was changed, not by a probe, and has been planned again. */
  readonly onChanged: (sutId: string) => void
}

/** A SUT's phase of its interval, from 0 to 1: its id ends in random bits. */
const phaseOf = (sutId: string): number => Number.parseInt(sutId.slice(-8), 16) / 2 ** 32

/** The next moment at the SUT's phase of its interval. Phases differ, so probes are spread over the interval. */
export const nextInPhase = (sutId: string, interval: number, now: number): number => {
  const first = now - (now % interval) + Math.floor(phaseOf(sutId) * interval)
  return first > now ? first : first + interval
}

/** A SUT as the views show it now; undefined unless it is monitored. */
const makeGet =
  (views: Pick<Views, 'newest'>) =>
  (sutId: string): MonitoredSut | undefined => {
    const version = views.newest('sut', sutId)
    if (version === undefined || version.ended !== null) return undefined
    const sut = JSON.parse(version.document) as Sut
    const { status, cause, settings } = JSON.parse(version.internal) as SutInternal
    const seconds = settings.monitoring_interval
    if (status === 'disabled' || seconds === undefined) return undefined
    return {
      sut,
      interval: seconds * 1_000,
      shown: { status, changes: version.observed, cause: cause ?? undefined },
    }
  }

/** The monitored SUTs, and when to probe each next. SUTs of unknown status are probed immediately. */
export const followMonitored = ({ views, sinceBoot, onChanged }: Options) => {
  /** When to probe each SUT next, in milliseconds since boot. Bounded by the SUTs. */
  const moments = new Map<string, number>()
  const get = makeGet(views)

  /** Plans the next probe: after a pause in milliseconds, or at the SUT's phase of its interval. */
  const plan = (sutId: string, after?: number): void => {
    const monitored = get(sutId)
    if (monitored === undefined) {
      moments.delete(sutId)
      return
    }
    const now = sinceBoot()
    moments.set(sutId, after === undefined ? nextInPhase(sutId, monitored.interval, now) : now + after)
  }
  const begin = (sutId: string): void => plan(sutId, get(sutId)?.shown.status === 'unknown' ? 0 : undefined)

  const close = views.watch((_, changes) => {
    for (const { projection, before, after } of changes) {
      // A new SUT is not monitored yet, and what a probe found is no reason to begin anew.
      if (projection !== 'sut' || before === undefined || after.isObserved) continue
      begin(after.id)
      onChanged(after.id)
    }
  })

  /** Reads which SUTs are monitored, in one list whatever their status: that may change between two pages. */
  const load = async (): Promise<boolean> => {
    let createdBefore: PublicPosition | undefined
    for (;;) {
      const page = await views.read('suts', { isMonitored: true, limit: PAGE_SIZE, offset: 0, createdBefore })
      if (page === undefined) return false
      const ids = page.listed.documents.map((document) => (JSON.parse(document) as Sut)._id)
      for (const id of ids) begin(id)
      createdBefore = views.newest('sut', ids.at(-1) ?? '')?.created
      if (ids.length < PAGE_SIZE || createdBefore === undefined) return true
      await turn()
    }
  }

  return {
    get,
    plan,
    /** Removes and returns the ids that are due. */
    takeDue: (): readonly string[] => {
      const now = sinceBoot()
      const due = [...moments].filter(([, moment]) => moment <= now).map(([id]) => id)
      for (const id of due) moments.delete(id)
      return due
    },
    size: (): number => moments.size,
    /** False while the views cannot be read. */
    load,
    close,
  }
}

export type MonitoredSuts = ReturnType<typeof followMonitored>
