import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type AppendExpectedRevision,
  type AppendResult,
  type BaseOptions,
  type DNSClusterOptions,
  type EventData,
  EventStoreDBClient,
  type GossipClusterOptions,
  type SingleNodeOptions,
} from '@eventstore/db-client'
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js'
import type streams from '@eventstore/db-client/generated/streams_pb.js'
import { Channel, type ClientReadableStream, credentials as channelCredentials } from '@grpc/grpc-js'
import { makeTurns } from '../../../concurrency/turns.ts'
import { StoreUnavailable } from '../../event-store.ts'
import { UndecodableEvent } from '../../stored-event.ts'
import type { EventStoreDbAddress } from './address.ts'
import { type Fault, faultOf, isAnswer, isFinal } from './faults.ts'

/** Flow control window in bytes. The default of 64 KiB holds the events of 30 busy milliseconds. */
const WINDOW = 2 * 1024 * 1024
/** Maximum message size in bytes, including the largest event. */
const MESSAGE_MAX = 17 * 1024 * 1024

type Settings = DNSClusterOptions | GossipClusterOptions | SingleNodeOptions

export type ReadCall = ClientReadableStream<streams.ReadResp>

/**
 * The vendor's client, with additions: its `dispose` leaves the channel open, its channels use the default flow control
 * window, and it can filter subscriptions but not reads.
 */
export class StoreClient extends EventStoreDBClient {
  #channel: Channel | undefined
  readonly #credentials: NonNullable<EventStoreDbAddress['credentials']>

  constructor(
    settings: Settings,
    // A node without users ignores credentials.
    { tls, caFile, credentials = { username: 'berth', password: 'berth' } }: EventStoreDbAddress,
  ) {
    const authority = caFile === undefined ? undefined : readFileSync(caFile)
    // The constructor is overloaded for each of these.
    const one = settings as SingleNodeOptions
    super(one, { insecure: !tls, ...(authority && { rootCertificate: authority }) }, credentials)

    const security = tls ? channelCredentials.createSsl(authority) : channelCredentials.createInsecure()
    const { keepAliveInterval = 10_000, keepAliveTimeout = 10_000 } = settings
    const options = {
      'grpc.keepalive_time_ms': keepAliveInterval,
      'grpc.keepalive_timeout_ms': keepAliveTimeout,
      'grpc.max_receive_message_length': MESSAGE_MAX,
      'grpc-node.flow_control_window': WINDOW,
    }
    this.#credentials = credentials
    // The client has no option for these. The channel it creates has not connected yet, but knows its target.
    const hidden = this as unknown as { createChannel: () => Promise<Channel> }
    const plan = hidden.createChannel
    hidden.createChannel = async () => {
      const planned = await plan()
      planned.close()
      this.#channel = new Channel(planned.getTarget(), security, options)
      return this.#channel
    }
  }

  async close(): Promise<void> {
    // It cancels every stream at once, but never resolves if a stream is no longer read.
    void this.dispose().catch(() => undefined)
    this.#channel?.close()
  }

  /**
   * Appends on the leader, in a call of its own. Without credentials all appends of the process would share one stream: a
   * lost connection fails them all, and one that is never answered hangs forever.
   *
   * @param deadline milliseconds
   */
  append(
    stream: string,
    events: EventData | EventData[],
    expectedRevision: AppendExpectedRevision,
    deadline: number,
  ): Promise<AppendResult> {
    const credentials = this.#credentials
    return this.appendToStream(stream, events, { expectedRevision, credentials, deadline, requiresLeader: true })
  }

  read(request: streams.ReadReq, base: BaseOptions): Promise<ReadCall> {
    return this.GRPCStreamCreator(StreamsClient, 'read', (client) =>
      client.read(request, ...this.callArguments(base, { deadline: Number.POSITIVE_INFINITY })),
    )()
  }
}

/** Between attempts, before jitter: doubles from `first` up to `last`. */
const BACKOFF_MS = { first: 25, last: 500 } as const
/** Concurrent calls per HTTP/2 connection. A server accepts 100 and silently queues the rest. */
const CALLS_MAX = 90
/** Waiting calls; further ones are rejected. */
const WAITING_MAX = 10_000
const CALLS = 'calls'

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

/** The client of a connection, which is replaced after errors that may have broken it. */
const makeClients = (open: () => StoreClient) => {
  /** Their calls that go on. */
  const uses = new Map<StoreClient, number>()
  let current: StoreClient | undefined
  const close = async (client: StoreClient): Promise<void> => {
    uses.delete(client)
    await client.close().catch(() => undefined)
  }
  return {
    use: async <A>(call: (client: StoreClient) => Promise<A>): Promise<A> => {
      const client = current ?? open()
      current = client
      uses.set(client, (uses.get(client) ?? 0) + 1)
      try {
        return await call(client)
      } catch (error) {
        // A client caches a failed feature request and a node that stopped responding.
        if (!isAnswer(faultOf(error)) && current === client) current = undefined
        throw error
      } finally {
        const left = (uses.get(client) ?? 1) - 1
        uses.set(client, left)
        if (current !== client && left === 0) void close(client)
      }
    },
    close: async () => void (await Promise.all([...uses.keys()].map(close))),
  }
}

export type StoreConnection = ReturnType<typeof openStoreConnection>

/** Calls to the store, so many at a time. */
export const openStoreConnection = (address: EventStoreDbAddress, purpose: Purpose) => {
  const turns = makeTurns({ limit: CALLS_MAX, waitingMax: () => WAITING_MAX })
  const clients = makeClients(() => new StoreClient(makeSettings(address, purpose), address))
  let isClosed = false

  /** @throws StoreUnavailable after `close` */
  const checkOpen = (): void => {
    if (isClosed) throw new StoreUnavailable('the event store has been closed')
  }

  /** Runs a call. Throws the client's errors, and StoreUnavailable if too many wait, or after `close`. */
  const use = async <A>(call: (client: StoreClient) => Promise<A>): Promise<A> => {
    checkOpen()
    const isTurn = (await turns.acquire(CALLS)) ?? true
    checkOpen()
    if (!isTurn) throw new StoreUnavailable('too many calls to the event store')
    try {
      return await clients.use(call)
    } finally {
      turns.release(CALLS)
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
          const isOver = error instanceof StoreUnavailable || isFinal(faultOf(error)) || isClosed
          if (isOver || performance.now() + pause > until) throw error
          await delay(pause)
        }
      }
    },
    checkOpen,
    close: async (): Promise<void> => {
      isClosed = true
      turns.refuseAll()
      await clients.close()
    },
  }
}

/** Converts an error to StoreUnavailable, which callers may retry. @param ofAll ` to $all` for what needs that right */
export const toUnavailable = (what: string, error: unknown, ofAll: '' | ' to $all' = ''): Error => {
  if (error instanceof StoreUnavailable || error instanceof UndecodableEvent) return error
  const why: Readonly<Record<Fault, string>> = {
    moved: 'its revision has changed',
    nowhere: 'no event at this position',
    denied: `the event store denies access${ofAll} with these credentials`,
    refused: (error as Error).message,
    elsewhere: 'another node is the leader',
    unsent: 'no event store node could be found',
    unanswered: (error as Error).message,
  }
  return new StoreUnavailable(`${what}: ${why[faultOf(error)]}`, { cause: error })
}
