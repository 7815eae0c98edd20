import { EventStoreDBClient } from '@eventstore/db-client'
import { status } from '@grpc/grpc-js'
import type { ExecutionContext } from 'ava'
import { type Refusal, readStream, refusalOf, type Store, take } from './conformance/law.ts'
import { type ProtocolServerOptions, startProtocolServer } from './protocol/protocol-server.ts'
import { failure } from './protocol/wire.ts'

export const aServer = async (t: ExecutionContext, options: ProtocolServerOptions = {}) => {
  const server = await startProtocolServer(options)
  t.teardown(server.close)
  return server
}

export const credentials = { username: 'berth', password: 'berth' }

/** A client with a call for each append, with a deadline in milliseconds (generous by default). */
export const aStore = (t: ExecutionContext, address: string, deadline = 20_000): Store => {
  const client = EventStoreDBClient.connectionString(address)
  t.teardown(() => client.dispose())
  const append: Store['append'] = (stream, expectedRevision, events) =>
    client.appendToStream(stream, [...events], { expectedRevision, credentials, deadline, requiresLeader: true })
  return { client, credentials, append }
}

export const aPair = async (t: ExecutionContext, options?: ProtocolServerOptions) => {
  const server = await aServer(t, options)
  return { server, store: aStore(t, server.address) }
}

export const countIn = (store: Store, stream: string): Promise<number> =>
  readStream(store, stream).then(
    (events) => events.length,
    () => 0,
  )

export const codeOf = async (call: Promise<unknown>): Promise<unknown> =>
  ((await refusalOf(call)) as { code?: number }).code

/** The error a subscription ends with. */
export const endingOf = async (subscription: AsyncIterable<unknown>): Promise<Refusal> =>
  refusalOf(take(subscription as never, Number.POSITIVE_INFINITY))

/** The same address with other options: clients with equal options share a connection. */
export const elsewhere = (address: string): string => `${address}&keepAliveInterval=10001`

export const exhausted = failure(status.RESOURCE_EXHAUSTED, 'Too many')
