import {
  BACKWARDS,
  END,
  type EventStoreDBClient,
  FORWARDS,
  type RecordedEvent,
  type ResolvedEvent,
  type StreamingRead,
} from '@eventstore/db-client'
import { BEGINNING, type EventStore } from './event-store.ts'
import { type Connection, unavailable } from './eventstoredb-connection.ts'
import { faultOf } from './eventstoredb-faults.ts'
import { type LogEvents, markOf } from './eventstoredb-records.ts'

/** Events of a stream read at a time. */
const PAGE = 256
/** Milliseconds that one page may take: the client itself would wait for ever. */
const PAGE_WITHIN = 5_000
/** Milliseconds for which a read is repeated before it is given up. */
const READ_WITHIN = 8_000

/** Everything a read gives, or what is taken of it until `isEnough`; it is cancelled when it takes too long. */
const collect = async <A>(
  read: StreamingRead<ResolvedEvent>,
  take: (event: RecordedEvent) => A | undefined,
  isEnough: (taken: A) => boolean = () => false,
): Promise<readonly A[]> => {
  // Errors also come after the last event was asked for; nobody else listens then.
  read.on('error', () => undefined)
  const late = setTimeout(() => read.destroy(new Error('the event store does not answer')), PAGE_WITHIN)
  const taken: A[] = []
  try {
    for await (const { event } of read) {
      const one = event && take(event)
      if (one === undefined) continue
      taken.push(one)
      if (isEnough(one)) break
    }
    return taken
  } finally {
    clearTimeout(late)
    void read.cancel().catch(() => undefined)
  }
}

/** A page of a stream from a revision on; undefined where there is no such stream. */
export type ReadPage = (
  stream: string,
  from: number,
  count: number,
  direction?: 'forwards' | 'backwards',
) => Promise<readonly RecordedEvent[] | undefined>

/** @param within milliseconds for which a read is repeated */
export const makeReadPage =
  (connection: Connection, within = READ_WITHIN): ReadPage =>
  async (stream, from, count, direction = FORWARDS) => {
    const read = (client: EventStoreDBClient) =>
      collect(
        client.readStream(connection.prefix + stream, {
          fromRevision: direction === BACKWARDS ? END : BigInt(from),
          maxCount: count,
          direction,
          credentials: connection.credentials,
          requiresLeader: true,
        }),
        (event) => event,
      )
    try {
      return await connection.persist(within, read)
    } catch (error) {
      if (faultOf(error) === 'missing') return undefined
      throw unavailable(`${stream} cannot be read`, error)
    }
  }

export const makeReadStream = (readPage: ReadPage, { decoded }: LogEvents): EventStore['readStream'] =>
  async function* readStream(stream, after) {
    for (let next = Math.max(after, BEGINNING) + 1; ; ) {
      const page = await readPage(stream, next, PAGE)
      if (page === undefined || page.length === 0) return
      yield page.map(decoded)
      if (page.length < PAGE) return
      next += page.length
    }
  }

/** The event at a mark, if it is one of ours. */
/** @param as what is made of the event */
export const makeAt =
  <A>(connection: Connection, { isOurs }: LogEvents, as: (event: RecordedEvent) => A) =>
  async (mark: number): Promise<A | undefined> => {
    if (mark <= BEGINNING) return undefined
    const fromPosition = { commit: BigInt(mark), prepare: BigInt(mark) }
    const { credentials } = connection
    const options = { direction: FORWARDS, fromPosition, maxCount: 1, credentials, requiresLeader: true } as const
    const read = (client: EventStoreDBClient) => collect(client.readAll(options), (event) => event)
    try {
      const [event] = await connection.persist(READ_WITHIN, read)
      return event !== undefined && isOurs(event) && markOf(event) === mark ? as(event) : undefined
    } catch (error) {
      throw unavailable(`the event at ${mark} cannot be read`, error)
    }
  }

/** Events of `$all` looked at, at first and then again and again, to find the last of ours among others. */
const LOOK = { first: 16, growth: 8, last: 4_096 } as const

/**
 * The mark of the last event of ours. The client reads `$all` without a filter, so it looks back from the end, past
 * events of the server's own and of others; once looked at, these are not looked at again.
 */
export const makeHead = (connection: Connection, { isOurs }: LogEvents): EventStore['head'] => {
  let seen = { end: BEGINNING, head: BEGINNING }

  const lookBack = (count: number, before: bigint | undefined, known: number) => (client: EventStoreDBClient) =>
    collect(
      client.readAll({
        direction: BACKWARDS,
        fromPosition: before === undefined ? END : { commit: before, prepare: before },
        maxCount: count,
        credentials: connection.credentials,
        requiresLeader: true,
      }),
      (event) => ({ mark: Number(event.position?.commit ?? 0), isOurs: isOurs(event) }),
      ({ mark, isOurs: isFound }) => isFound || mark <= known,
    )

  return async () => {
    // What others find out meanwhile says nothing of what this one has passed.
    const known = seen
    try {
      let end: number | undefined
      let before: bigint | undefined
      for (let count: number = LOOK.first; ; count = Math.min(count * LOOK.growth, LOOK.last)) {
        const page = await connection.persist(READ_WITHIN, lookBack(count, before, known.end))
        end ??= page[0]?.mark
        const last = page.at(-1)
        // From the first event on there is nothing before it but itself.
        const isOver = last === undefined || last.isOurs || last.mark <= known.end || BigInt(last.mark) === before
        if (isOver) {
          const head = last?.isOurs ? last.mark : known.head
          if (end !== undefined && end >= seen.end) seen = { end, head: Math.max(head, BEGINNING) }
          return head
        }
        before = BigInt(last.mark)
      }
    } catch (error) {
      throw unavailable('the end of the log cannot be read', error)
    }
  }
}
