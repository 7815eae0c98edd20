import { readFileSync } from 'node:fs'
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
import type { EventStoreDbAddress } from './address.ts'

/** Flow control window in bytes. The default of 64 KiB holds the events of 30 busy milliseconds. */
const WINDOW = 2 * 1024 * 1024
/** Maximum message size in bytes, including the largest event. */
const MESSAGE_MAX = 17 * 1024 * 1024

export type Settings = DNSClusterOptions | GossipClusterOptions | SingleNodeOptions

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
