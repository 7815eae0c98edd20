import { setTimeout as delay } from 'node:timers/promises'
import type { Credentials } from '@eventstore/db-client'
import { StoreUnavailable } from '../../event-store.ts'
import { UndecodableEvent } from '../../stored-event.ts'
import type { EventStoreDbAddress } from './address.ts'
import { makeCallLimit } from './call-limit.ts'
import { type Settings, StoreClient } from './client.ts'
import { type Fault, faultOf, isAnswer, isFinal } from './faults.ts'

/** Milliseconds between attempts at a call that went unanswered, before jitter: doubled each time, up to the second. */
const PAUSE = { first: 25, last: 500 } as const

/** Milliseconds to wait before attempt `n`, counted from 0: none, then more and more, with jitter. */
export const retryDelay = (attempt: number): number =>
  attempt === 0 ? 0 : Math.min(PAUSE.first * 2 ** attempt, PAUSE.last) * (0.5 + Math.random())

/** Whoever connects for the same purpose shares a connection: these are kept apart by what they ask of keep-alive. */
export type Purpose = 'commands' | 'subscriptions'

const makeSettings = (address: EventStoreDbAddress, purpose: Purpose): Settings => {
  const { hosts, isDiscovered, maxDiscoverAttempts = 3, gossipTimeout = 2_000, keepAliveInterval = 10_000 } = address
  const { connectionName, discoveryInterval, keepAliveTimeout, deadline } = address
  const [first] = hosts
  if (first === undefined) throw new Error('the address of the event store has no host')
  const settings = {
    // Clients of equal options share one HTTP/2 connection where TLS is off, whatever their names.
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
    // The client counts it in seconds.
    gossipTimeout: Math.max(1, Math.round(gossipTimeout / 1_000)),
    ...(discoveryInterval !== undefined && { discoveryInterval }),
  }
  return isDiscovered ? { ...discovery, discover: first } : { ...discovery, endpoints: [...hosts] }
}

const makeClient = (address: EventStoreDbAddress, purpose: Purpose): StoreClient =>
  new StoreClient(makeSettings(address, purpose), address, credentialsOf(address))

/**
 * An append with credentials of its own is a call of its own; without, all appends of the
 * process would share one stream, on which a lost connection fails them all and one that is never answered waits for
 * ever. A node without users passes over them.
 */
const credentialsOf = ({ credentials }: EventStoreDbAddress) => credentials ?? { username: 'berth', password: 'berth' }

/** A client that is replaced whenever it may have gone wrong. */
export interface Connection {
  /** What every call is to be made with. */
  readonly credentials: Credentials
  /** What the names of all streams begin with. */
  readonly prefix: string
  /** Makes a call, when fewer than the most there may be are under way. What it throws is the client's. */
  readonly use: <A>(call: (client: StoreClient) => Promise<A>) => Promise<A>
  /** Makes a call until it is answered, with pauses, for so many milliseconds. What it throws in the end is the client's. */
  readonly persist: <A>(within: number, call: (client: StoreClient) => Promise<A>) => Promise<A>
  readonly close: () => Promise<void>
}

interface PooledClient {
  readonly client: StoreClient
  uses: number
  isRetired: boolean
}

export const openConnection = (address: EventStoreDbAddress, purpose: Purpose): Connection => {
  let current: PooledClient | undefined
  let isClosed = false
  const limit = makeCallLimit()
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

  const use: Connection['use'] = async (call) => {
    await limit.acquire()
    current ??= { client: makeClient(address, purpose), uses: 0, isRetired: false }
    const held = current
    all.add(held)
    held.uses++
    try {
      return await call(held.client)
    } catch (error) {
      // A failed question for the server's features is remembered by a client, and so is a node that has gone silent.
      if (!isAnswer(faultOf(error)) && !held.isRetired) retire(held)
      throw error
    } finally {
      held.uses--
      if (held.isRetired && held.uses === 0) void end(held)
      limit.release()
    }
  }

  return {
    credentials: credentialsOf(address),
    prefix: address.streamPrefix ?? '',
    use,
    persist: async (within, call) => {
      const until = performance.now() + within
      for (let attempt = 1; ; attempt++) {
        try {
          return await use(call)
        } catch (error) {
          const pause = retryDelay(attempt)
          if (isFinalError(error) || isClosed || performance.now() + pause > until) throw error
          await delay(pause)
        }
      }
    },
    close: async () => {
      isClosed = true
      limit.close()
      await Promise.all([...all].map(end))
    },
  }
}

const isFinalError = (error: unknown): boolean => error instanceof StoreUnavailable || isFinal(faultOf(error))

/** The error as the port knows it: it may be asked again. */
export const toUnavailable = (what: string, error: unknown): Error => {
  if (error instanceof StoreUnavailable || error instanceof UndecodableEvent) return error
  const why: Readonly<Record<Fault, string>> = {
    moved: 'it has moved',
    missing: 'it is not there',
    nowhere: 'the log has no event there',
    denied: 'the event store refuses the credentials, or their rights',
    refused: (error as Error).message,
    elsewhere: 'another node leads the cluster',
    unsent: 'no node of the event store could be found',
    unanswered: (error as Error).message,
  }
  return new StoreUnavailable(`${what}: ${why[faultOf(error)]}`, { cause: error })
}
