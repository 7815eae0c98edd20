import {
  type AppendExpectedRevision,
  type AppendResult,
  type Credentials,
  ErrorType,
  EventStoreDBClient,
  type JSONEventType,
  jsonEvent,
  type Position,
  type RecordedEvent,
  type ResolvedEvent,
} from '@eventstore/db-client'

/** Behaviour that every server of this protocol has, and that clients may rely on. */
export interface Law {
  readonly title: string
  /** Throws if the law is broken. Uses only its own, uniquely named streams. */
  readonly check: (store: Store) => Promise<void>
}

export type Event = ReturnType<typeof jsonEvent<JSONEventType>>

/** A server, used through the real client. */
export interface Store {
  readonly client: EventStoreDBClient
  /** With credentials, as without them all appends of the process would share one gRPC stream. */
  readonly append: (stream: string, expected: AppendExpectedRevision, events: readonly Event[]) => Promise<AppendResult>
  readonly credentials: Credentials
}

/** Timeout of every wait, in milliseconds. */
const TIMEOUT = 10_000

export const within = async <A>(what: string, promise: Promise<A>): Promise<A> => {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`timed out waiting for ${what}`)), TIMEOUT)
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

const credentialsOf = (address: string): Credentials => {
  const [, name = 'berth', password = 'berth'] = /^[^/]*\/\/([^:@/]+):([^@/]+)@/.exec(address) ?? []
  return { username: decodeURIComponent(name), password: decodeURIComponent(password) }
}

/** Checks one law with its own client, closed afterwards. */
export const checkLaw = async ({ title, check }: Law, address: string): Promise<void> => {
  const client = EventStoreDBClient.connectionString(address)
  const credentials = credentialsOf(address)
  const append: Store['append'] = (stream, expectedRevision, events) =>
    client.appendToStream(stream, [...events], { expectedRevision, credentials })
  try {
    await within(title, check({ client, append, credentials }))
  } finally {
    await client.dispose()
  }
}

export const aStream = (kind = 'law'): string => `${kind}-${crypto.randomUUID()}`

export const anEvent = (note = 'noted', type = 'LawNoted'): Event =>
  jsonEvent({ id: crypto.randomUUID(), type, data: { note }, metadata: { by: 'law' } })

export const someEvents = (count: number): readonly Event[] =>
  Array.from({ length: count }, (_, index) => anEvent(`event ${index}`))

export const idsOf = (events: readonly { readonly id: string }[]): readonly string[] => events.map(({ id }) => id)

const eventsOf = async (resolved: AsyncIterable<ResolvedEvent>): Promise<RecordedEvent[]> => {
  const events: RecordedEvent[] = []
  for await (const { event } of resolved) if (event !== undefined) events.push(event)
  return events
}

export const readStream = (
  { client }: Store,
  stream: string,
  options: Parameters<EventStoreDBClient['readStream']>[1] = {},
): Promise<RecordedEvent[]> => eventsOf(client.readStream(stream, options))

export const readAll = (
  { client }: Store,
  options: Parameters<EventStoreDBClient['readAll']>[0],
): Promise<RecordedEvent[]> => eventsOf(client.readAll(options))

/** The first `count` events of a subscription. */
export const take = async (subscription: AsyncIterable<ResolvedEvent>, count: number): Promise<RecordedEvent[]> => {
  const events: RecordedEvent[] = []
  for await (const { event } of subscription) {
    if (event !== undefined) events.push(event)
    if (events.length >= count) break
  }
  return events
}

/** The members of client errors that can be relied on. */
export interface Refusal {
  readonly type?: ErrorType
  readonly actualVersion?: unknown
  readonly expectedVersion?: unknown
}

/** The error a call fails with; throws if it succeeds. */
export const refusalOf = async (call: Promise<unknown>): Promise<Refusal> => {
  const result = await call.then(
    () => ({ succeeded: true }) as const,
    (error: Refusal) => error,
  )
  if ('succeeded' in result) throw new Error('the call succeeded')
  return result
}

export const isMissing = async (store: Store, stream: string): Promise<boolean> =>
  readStream(store, stream).then(
    () => false,
    (error: Refusal) => {
      if (error.type !== ErrorType.STREAM_NOT_FOUND) throw error
      return true
    },
  )

export const positionOf = ({ position }: { readonly position?: Position }): Position => {
  if (position === undefined) throw new Error('the event has no position')
  return position
}
