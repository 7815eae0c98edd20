/** Two instances that share only the store, and ways to make them meet or miss each other. */

import type { ExecutionContext } from 'ava'
import { type EventStore, StoreUnavailable } from '../../../src/event-store/event-store.ts'
import { type InstanceSetting, startInstances } from '../../event-store/eventstoredb/service/instances.ts'
import type { Answer } from '../../http/client.ts'
import type { Running } from '../../http/harness.ts'
import { NOW } from '../../http/requests.ts'

export const twoInstances = async (t: ExecutionContext, setting: Omit<InstanceSetting, 'count'> = {}) => {
  const { services, ...others } = await startInstances(t, { now: NOW, ...setting, count: 2 })
  const [one, other] = services as readonly [Running, Running]
  return { one, other, ...others }
}
export type Two = Awaited<ReturnType<typeof twoInstances>>

/** Status and code. */
export const codeOf = ({ status, json }: Answer): readonly unknown[] => (json.code ? [status, json.code] : [status])

/** Milliseconds after which an instance that cannot follow the log refuses, and a reserve. */
export const REFUSED_WITHIN = 15_000

/** A store whose subscriptions can be cut, while everything else of it works. */
export const makeCut = () => {
  let cutting = Promise.withResolvers<void>()
  let isCut = false
  const fail = (): never => {
    throw new StoreUnavailable('the subscription is cut')
  }
  return {
    cut: (): void => {
      isCut = true
      cutting.resolve()
    },
    restore: (): void => {
      isCut = false
      cutting = Promise.withResolvers()
    },
    change: (store: EventStore): EventStore => ({
      ...store,
      async *subscribe(after, signal) {
        if (isCut) fail()
        const own = new AbortController()
        const batches = store.subscribe(after, AbortSignal.any([signal, own.signal]))[Symbol.asyncIterator]()
        const broken = cutting.promise.then(() => undefined)
        for (;;) {
          const next = await Promise.race([batches.next(), broken])
          if (next === undefined) {
            own.abort()
            fail()
          } else if (next.done) return
          else yield next.value
        }
      },
    }),
  }
}
