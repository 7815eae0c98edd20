import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { GossipService } from '@eventstore/db-client/generated/gossip_grpc_pb.js'
import gossip from '@eventstore/db-client/generated/gossip_pb.js'
import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js'
import features from '@eventstore/db-client/generated/serverfeatures_pb.js'
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js'
import { type Metadata, Server, ServerCredentials, type sendUnaryData } from '@grpc/grpc-js'
import { makeAppend, makeDelete, refuseBatchAppend } from './append.ts'
import { type Log, makeLog } from './log.ts'
import { makeRead } from './read.ts'
import { type CallKind, type Endpoint, makeSwitches, type Switches, type SwitchState } from './switches.ts'
import { asError, uuidOf } from './wire.ts'

export interface ProtocolServerOptions {
  /** The log of another server, to simulate nodes of one cluster. */
  readonly log?: Log
  readonly version?: string
  /** Passwords by user name; without users, no authentication. Clients send credentials only over TLS. */
  readonly users?: Readonly<Record<string, string>>
  /** PEM texts; the server then accepts only TLS. */
  readonly tls?: { readonly certificate: string; readonly key: string }
}

/** An EventStoreDB in memory, on a port of 127.0.0.1. */
export interface ProtocolServer extends Switches, AsyncDisposable {
  /** Connection string, such as `esdb://127.0.0.1:1234?tls=false`. */
  readonly address: string
  readonly endpoint: Endpoint
  readonly log: Log
  /** Resets every connection; still accepts new ones. */
  readonly dropConnections: () => void
  /** Resets every connection, including new ones; keeps the log. */
  readonly stop: () => Promise<void>
  /** Accepts connections again. */
  readonly start: () => Promise<void>
  /** Stops and starts, and forgets the ids that detect repeated `any` appends. */
  readonly restart: () => Promise<void>
  /** Shuts the server down permanently. */
  readonly close: () => Promise<void>
}

const HOST = '127.0.0.1'
const MESSAGE_MAX = 32 * 1024 * 1024
/** Maximum concurrent calls per connection, as on a real node; the client queues the rest. */
const CALLS_MAX = 100

/** Node states in the gossip, as numbered by the protocol. */
const STATE = { follower: 6, leader: 8 } as const

const member = ({ address, port }: Endpoint, state: number): gossip.MemberInfo =>
  new gossip.MemberInfo()
    .setInstanceId(uuidOf(crypto.randomUUID()))
    .setTimeStamp(String(BigInt(Date.now()) * 10_000n))
    .setState(state)
    .setIsAlive(true)
    .setHttpEndPoint(new gossip.EndPoint().setAddress(address).setPort(port))

const makeGrpc = (options: ProtocolServerOptions, log: Log, switches: SwitchState, self: () => Endpoint): Server => {
  const { version = '24.6.0' } = options
  const grpc = new Server({ 'grpc.max_receive_message_length': MESSAGE_MAX, 'grpc.max_concurrent_streams': CALLS_MAX })
  const parts = { log, switches }
  const answering =
    <A>(kind: CallKind, make: () => A) =>
    async ({ metadata }: { readonly metadata: Metadata }, answer: sendUnaryData<A>): Promise<void> => {
      const refused = await switches.admit(kind, metadata)
      if (refused === undefined) answer(null, make())
      else answer(asError(refused))
    }
  grpc.addService(StreamsService, {
    append: makeAppend(parts),
    batchAppend: refuseBatchAppend,
    delete: makeDelete(parts),
    read: makeRead({ ...parts, isOld: version.startsWith('23.') }),
  })
  grpc.addService(GossipService, {
    read: answering('gossip', () => {
      const leader = switches.leader()
      const own = member(self(), leader === undefined ? STATE.leader : STATE.follower)
      const others = leader === undefined ? [] : [member(leader, STATE.leader)]
      return new gossip.ClusterInfo().setMembersList([own, ...others])
    }),
  })
  grpc.addService(ServerFeaturesService, {
    getSupportedMethods: answering('features', () => {
      const append = new features.SupportedMethod().setMethodName('append')
      append.setServiceName('event_store.client.streams.streams')
      return new features.SupportedMethods().setEventStoreServerVersion(version).setMethodsList([append])
    }),
  })
  return grpc
}

/** Node never closes a socket that is reset after `end()`, which HTTP/2 calls after a failure. */
const reset = (socket: Socket): void => {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}

/**
 * Listens on its own port, so that connections can be cut instantly. While down, it keeps the port and resets new
 * connections: another process could take a released port.
 */
const makeListener = (inject: (socket: Socket) => void, switches: SwitchState) => {
  const sockets = new Set<Socket>()
  let isDown = false
  const listener = createServer((socket) => {
    if (isDown) return reset(socket)
    switches.counters.connections++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    void switches.thawed().then(() => !socket.destroyed && inject(socket))
  })
  const drop = (): void => {
    for (const socket of sockets) reset(socket)
  }
  return {
    drop,
    listen: async (): Promise<number> => {
      listener.listen(0, HOST)
      await once(listener, 'listening')
      return (listener.address() as AddressInfo).port
    },
    stop: async (): Promise<void> => {
      isDown = true
      const closed = [...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)))
      drop()
      await Promise.all(closed)
    },
    start: async (): Promise<void> => {
      isDown = false
    },
    close: async (): Promise<void> => {
      if (!listener.listening) return
      const closed = once(listener, 'close')
      listener.close()
      drop()
      await closed
    },
  }
}

const credentialsOf = ({ tls }: ProtocolServerOptions): ServerCredentials => {
  if (tls === undefined) return ServerCredentials.createInsecure()
  const pair = { cert_chain: Buffer.from(tls.certificate), private_key: Buffer.from(tls.key) }
  return ServerCredentials.createSsl(null, [pair])
}

export const startProtocolServer = async (options: ProtocolServerOptions = {}): Promise<ProtocolServer> => {
  const { log = makeLog(), users, tls } = options
  const { switches, state } = makeSwitches(users)
  const all = { ...switches, ...state }
  // TLS clients verify the host name.
  const address = tls === undefined ? HOST : 'localhost'
  let port = 0
  const grpc = makeGrpc(options, log, all, () => ({ address, port }))
  const injector = grpc.createConnectionInjector(credentialsOf(options))
  const listener = makeListener((socket) => injector.injectConnection(socket), all)
  port = await listener.listen()
  const close = async (): Promise<void> => {
    switches.thaw()
    await listener.close()
    injector.destroy()
    grpc.forceShutdown()
  }
  return {
    ...switches,
    endpoint: { address, port },
    address: `esdb://${address}:${port}?tls=${tls !== undefined}`,
    log,
    dropConnections: listener.drop,
    stop: listener.stop,
    start: listener.start,
    restart: async () => {
      await listener.stop()
      log.forgetRecent()
      await listener.start()
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
