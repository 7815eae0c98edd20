import { setTimeout as delay } from 'node:timers/promises'
import { StoreUnavailable } from '../../event-store.ts'
import { UndecodableEvent } from '../../stored-event.ts'
import type { EventStoreDbAddress } from './address.ts'
import { makeCallLimit } from './call-limit.ts'
import { type Fault, faultOf, isAnswer, isFinal } from './faults.ts'
import { type Settings, StoreClient } from './store-client.ts'

/** Between attempts, before jitter: doubles from `first` up to `last`. */
const BACKOFF_MS = { first: 25, last: 500 } as const

/** Backoff with jitter before attempt `n`, counted from 0, in milliseconds. */
export const retryDelay = (attempt: number): number =>
  attempt === 0 ? 0 : Math.min(BACKOFF_MS.first * 2 ** attempt, BACKOFF_MS.last) * (0.5 + Math.random())

/** Calls with the same purpose share a connection. Different keep-alive options keep the two apart. */
type Purpose = 'commands' | 'subscriptions'

const makeSettings = (address: EventStoreDbAddress, purpose: Purpose): Settings => {
  const { hosts, isDiscovered, maxDiscoverAttempts = 3, gossipTimeout = 2_000, keepAliveInterval = 10_000 } = address
  const { connectionName, discoveryInterval, keepAliveTimeout, deadline } = address
  const [first] = hosts
  if (first === undefined) throw new Error('the address of the event store has no host')
  const settings = {
    // Without TLS, clients with equal options share one HTTP/2 connection, whatever their names.
    keepAliveInterval: keepAliveInterval + (purpose === 'commands' ? 0 : 1),
    ...(keepAliveTimeout !== undefined && { keepAliveTimeout }),
    ...(connectionName !== undefined && { connectionName }),
    ...(deadline !== undefined && { defaultDeadline: deadline }),
  }
  if (!isDiscovered && hosts.length === 1) return { ...settings, endpoint: first }
  const discovery = {
    ...settings,
    nodePreference: 'leader' as const,
    maxDiscoverAttempts,
    // The client takes seconds.
    gossipTimeout: Math.max(1, Math.round(gossipTimeout / 1_000)),
    ...(discoveryInterval !== undefined && { discoveryInterval }),
  }
  return isDiscovered ? { ...discovery, discover: first } : { ...discovery, endpoints: [...hosts] }
}

export type StoreConnection = ReturnType<typeof openStoreConnection>

interface PooledClient {
  readonly client: StoreClient
  uses: number
  isRetired: boolean
}

const makePool = (address: EventStoreDbAddress, purpose: Purpose) => {
  let current: PooledClient | undefined
  const all = new Set<PooledClient>()

  const end = async (held: PooledClient): Promise<void> => {
    all.delete(held)
    await held.client.close().catch(() => undefined)
  }

  const retire = (held: PooledClient): void => {
    held.isRetired = true
    if (current === held) current = undefined
    if (held.uses === 0) void end(held)
  }

  return {
    use: async <A>(call: (client: StoreClient) => Promise<A>): Promise<A> => {
      current ??= { client: new StoreClient(makeSettings(address, purpose), address), uses: 0, isRetired: false }
      const held = current
      all.add(held)
      held.uses++
      try {
        return await call(held.client)
      } catch (error) {
        // A client caches a failed feature request and a node that stopped responding.
        if (!isAnswer(faultOf(error)) && !held.isRetired) retire(held)
        throw error
      } finally {
        held.uses--
        if (held.isRetired && held.uses === 0) void end(held)
      }
    },
    close: async () => void (await Promise.all([...all].map(end))),
  }
}

/** A client that is replaced after errors that may have broken it. */
export const openStoreConnection = (address: EventStoreDbAddress, purpose: Purpose) => {
  const limit = makeCallLimit()
  const pool = makePool(address, purpose)

  /** Runs a call within the concurrency limit. Throws the client's errors. */
  const use = async <A>(call: (client: StoreClient) => Promise<A>): Promise<A> => {
    await limit.acquire()
    try {
      return await pool.use(call)
    } finally {
      limit.release()
    }
  }

  return {
    prefix: address.streamPrefix ?? '',
    use,
    /** Retries a call with backoff for `within` milliseconds. Throws the client's last error. */
    persist: async <A>(within: number, call: (client: StoreClient) => Promise<A>): Promise<A> => {
      const until = performance.now() + within
      for (let attempt = 1; ; attempt++) {
        try {
          return await use(call)
        } catch (error) {
          const pause = retryDelay(attempt)
          if (isFinalError(error) || limit.isClosed() || performance.now() + pause > until) throw error
          await delay(pause)
        }
      }
    },
    checkOpen: limit.checkOpen,
    close: async (): Promise<void> => {
      limit.close()
      await pool.close()
    },
  }
}

const isFinalError = (error: unknown): boolean => error instanceof StoreUnavailable || isFinal(faultOf(error))

/** Converts an error to StoreUnavailable, which callers may retry. @param ofAll ` to $all` for what needs that right */
export const toUnavailable = (what: string, error: unknown, ofAll: '' | ' to $all' = ''): Error => {
  if (error instanceof StoreUnavailable || error instanceof UndecodableEvent) return error
  const why: Readonly<Record<Fault, string>> = {
    moved: 'its revision has changed',
    missing: 'it does not exist',
    nowhere: 'no event at this position',
    denied: `the event store denies access${ofAll} with these credentials`,
    refused: (error as Error).message,
    elsewhere: 'another node is the leader',
    unsent: 'no event store node could be found',
    unanswered: (error as Error).message,
  }
  return new StoreUnavailable(`${what}: ${why[faultOf(error)]}`, { cause: error })
}
