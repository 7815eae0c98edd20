import { setImmediate as turn } from 'node:timers/promises'
import type { SutRequest } from '../../../projections/sut-request.ts'
import {
  type FitIndex,
  hasSlot,
  haveCommonSlot,
  intersect,
  makeFitIndex,
  type SlotSet,
  singleSlot,
} from '../../domain/matching/fit-index.ts'
import type { Waiting } from '../../domain/request/waiting.ts'
import type { Scope } from '../../domain/user/scope.ts'
import type { Followed } from '../followed.ts'
import type { KnownSuts } from '../matching/suts.ts'
import type { Views } from '../views.ts'

/** What a request waits for. */
type Target = Pick<Waiting, 'match' | 'sut_id'>

/** SUTs with an index of what they have, to compare many requests with many SUTs. */
export interface IndexedSuts {
  readonly suts: KnownSuts
  /** Takes what has changed since. */
  readonly refresh: () => void
  readonly inScopes: (scopes: readonly Scope[]) => SlotSet
  /** The SUTs in scopes that a request could be granted if they were free. */
  readonly fitting: (target: Target, scopes: readonly Scope[]) => SlotSet
  /** Whether one of some SUTs is among those. */
  readonly isOneFitting: (among: SlotSet, target: Target, scopes: readonly Scope[]) => boolean
}

/** SUTs indexed in one turn of the event loop. */
const TURN_SIZE = 64

const EVERYWHERE: Scope = {}

/** Scopes together. There is hardly ever more than one. */
const inAll = (index: FitIndex, [first = EVERYWHERE, ...others]: readonly Scope[]): SlotSet =>
  others.reduce((set, scope) => intersect(set, index.inScope(scope)), index.inScope(first))

const indexSuts = async (suts: KnownSuts): Promise<IndexedSuts> => {
  const index = makeFitIndex()
  const changed = suts.changes.follow()
  const take = (slot: number): void => index.put(slot, suts.at(slot)?.profile)
  for (let slot = 0; slot < suts.size(); slot++) {
    if (slot % TURN_SIZE === TURN_SIZE - 1) await turn()
    take(slot)
  }
  return {
    suts,
    refresh: () => {
      for (const slot of new Set(changed())) take(slot)
    },
    inScopes: (scopes) => inAll(index, scopes),
    fitting: ({ match, sut_id }, scopes) => {
      if (match !== undefined) return intersect(index.fitting(match), inAll(index, scopes))
      const slot = suts.place(sut_id ?? '')
      return slot === undefined ? new Uint32Array(0) : intersect(singleSlot(slot), inAll(index, scopes))
    },
    isOneFitting: (among, { match, sut_id }, scopes) => {
      if (match !== undefined) return haveCommonSlot(among, index.fitting(match), inAll(index, scopes))
      const slot = suts.place(sut_id ?? '')
      return slot !== undefined && hasSlot(among, slot) && hasSlot(inAll(index, scopes), slot)
    },
  }
}

/** SUTs with their index, as they are now. They are read when somebody first asks. @throws StoreUnavailable */
export const makeIndexed = (followed: Followed<KnownSuts>['get']): (() => Promise<IndexedSuts>) => {
  let known: { readonly suts: KnownSuts; readonly indexed: Promise<IndexedSuts> } | undefined
  return async () => {
    const suts = await followed()
    if (known?.suts !== suts) known = { suts, indexed: indexSuts(suts) }
    const indexed = await known.indexed
    indexed.refresh()
    return indexed
  }
}

/** Which requests users with a scope see: those that a SUT in it fits. */
export interface RequestSight {
  /** Reads the SUTs. Nothing is in sight before. @throws StoreUnavailable */
  readonly prepare: () => Promise<void>
  readonly isIn: (requestId: string, scope: Scope) => boolean
}

export const makeRequestSight = (views: Pick<Views, 'newest'>, indexed: () => Promise<IndexedSuts>): RequestSight => {
  let suts: IndexedSuts | undefined
  return {
    prepare: async () => {
      suts = await indexed()
    },
    isIn: (requestId, scope) => {
      const version = views.newest('sut_request', requestId)
      if (suts === undefined || version === undefined) return false
      suts.refresh()
      return suts.isOneFitting(suts.inScopes([scope]), JSON.parse(version.document) as SutRequest, [])
    },
  }
}
