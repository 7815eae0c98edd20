import type { Sut, SutInternal } from '../../../projections/sut.ts'
import type { Criteria } from '../../../src/domain/events/criteria.ts'
import { putWindow } from '../../../src/domain/matching/openings.ts'
import { enqueue, type Queue, type Waiting } from '../../../src/domain/request/queue.ts'
import type { QuotaUse } from '../../../src/domain/reservation/quota.ts'
import { matchableOf } from '../../../src/read-models/lists/matchable.ts'
import { makeKnownSuts } from '../../../src/read-models/matching/suts.ts'
import { makeExplain, type Reader } from '../../../src/read-models/requests/explain.ts'
import { clock, idOf, sutValues, tester } from '../../domain/builders.ts'

export const NOW = clock('06:00')
const QUARTER = 900

export interface Machine {
  readonly os?: string
  readonly rack?: string
  readonly is_active?: boolean
  readonly isOffline?: boolean
  /** Quarters from now on: when it is reserved. */
  readonly held?: readonly (readonly [from: number, to: number])[]
}

export interface Asking {
  readonly user?: string
  readonly match?: Criteria
  readonly sut?: number
  readonly quarters?: number
  readonly priority?: number
  readonly expires?: number
  readonly offer?: readonly [sut: number, from: number, to: number]
  /** Seconds for which a sign of life counts, and since when there was none. */
  readonly silent?: readonly [keepalive: number, since: number]
}

export const EVERYBODY: Reader = { _id: 'root', scope: undefined, seesQuotas: true }

/** A queue in front of machines, and who explains it. */
export const lab = (
  machines: readonly Machine[],
  asking: readonly Asking[],
  people: Record<string, { rack?: string }> = {},
) => {
  const suts = makeKnownSuts()
  for (const [n, { os = 'linux', rack = '1', is_active = true, isOffline = false, held = [] }] of machines.entries()) {
    const document = {
      ...sutValues(),
      _id: `sut ${n}`,
      name: `machine ${n}`,
      os,
      is_active,
      tags: { rack },
    } as unknown as Sut
    const internal = { status: isOffline ? 'offline' : 'online', settings: {} } as SutInternal
    suts.put(document._id, matchableOf({ document, internal }))
    for (const [from, to] of held) {
      const [start, end] = [NOW / 1000 + from * QUARTER, NOW / 1000 + to * QUARTER]
      suts.changeWindows(document._id, (windows) => putWindow(windows, { start, end, isReleased: false }))
    }
  }
  const requests = asking.map((each, n): Waiting => {
    const { user = 'ada', match, sut, quarters = 1, priority = 0, expires = 96 * 7, offer, silent } = each
    return {
      ...{ _id: idOf(n), user_id: user, asker: tester(user), duration: quarters * QUARTER, priority, revision: n },
      expiresAt: NOW + expires * QUARTER * 1000,
      ...(silent && { life: { keepalive: silent[0], began: NOW - 3_600_000, kept: NOW - silent[1] * 1000 } }),
      ...(match !== undefined ? { match } : { sut_id: `sut ${sut ?? 0}` }),
      ...(offer !== undefined && {
        offer: {
          ...{ user_id: user, sut_id: `sut ${offer[0]}`, sut_reservation_id: idOf(1000 + n), duration: 900, time: NOW },
          ...{ start: NOW / 1000 + offer[1] * QUARTER, end: NOW / 1000 + offer[2] * QUARTER },
          ...{ startOffset: 0, endOffset: 0 },
        },
      }),
    }
  })
  const queue = requests.reduce<Queue>(enqueue, [])
  const explainFor = (use: QuotaUse | 'unknown' | undefined = undefined) => {
    const explain = makeExplain({
      suts: () => suts,
      requests: () => ({ queue, revision: asking.length }),
      personOf: (userId) => {
        const { rack } = people[userId] ?? {}
        return userId === 'gone' ? undefined : rack === undefined ? {} : { scope: { rack } }
      },
      useOf: async () => use,
      reachableFor: () => 3_600_000,
      clock: () => NOW,
    })
    return (n: number, reader = EVERYBODY) => explain(idOf(n), reader)
  }
  return { explain: explainFor(), explainFor, suts }
}

export const LINUX: Criteria = { os: 'linux' }
/** So many quarters from now. */
export const at = (quarters: number): string => new Date(NOW + quarters * QUARTER * 1000).toISOString()
