import { randomUUID } from 'node:crypto'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import * as E from 'fp-ts/lib/Either.js'
import empty from 'google-protobuf/google/protobuf/empty_pb.js'
import type { NewEvent } from '../../domain/event.ts'
import { type AppendFailure, NO_STREAM } from '../event-store.ts'
import type { StoreConnection } from './server/connection.ts'
import type { BatchCall } from './server/store-client.ts'

/** Time without a response after which a series fails. */
const RESPONSE_TIMEOUT_MS = 10_000

/** Events to append to a stream at revision `expected`. */
interface SeriesAppend {
  readonly stream: string
  readonly expected: number
  readonly events: readonly NewEvent[]
}

/**
 * Pipelined appends to several streams. A node executes the appends of one call in order, and the returned positions
 * prove it. Left: some may have been written. If so, only those before the first that failed, unless the node broke the
 * order.
 */
export type AppendSeries = (appends: readonly SeriesAppend[]) => Promise<E.Either<AppendFailure, void>>

const { BatchAppendReq } = streams

const toBytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))

const toMessage = ({ id, type, data, metadata }: NewEvent): streams.BatchAppendReq.ProposedMessage => {
  const message = new BatchAppendReq.ProposedMessage()
    .setId(new shared.UUID().setString(id))
    .setData(toBytes(data))
    .setCustomMetadata(toBytes(metadata))
  message.getMetadataMap().set('type', type).set('content-type', 'application/json')
  return message
}

// No deadline: it is an absolute time of this machine, so a node with another clock would fail every append.
const makeRequest = (
  prefix: string,
  { stream, expected, events }: SeriesAppend,
  id: string,
): streams.BatchAppendReq => {
  const name = new shared.StreamIdentifier().setStreamName(Buffer.from(prefix + stream))
  const options = new BatchAppendReq.Options().setStreamIdentifier(name)
  if (expected === NO_STREAM) options.setNoStream(new empty.Empty())
  else options.setStreamPosition(`${expected}`)
  return new BatchAppendReq()
    .setCorrelationId(new shared.UUID().setString(id))
    .setOptions(options)
    .setProposedMessagesList(events.map(toMessage))
    .setIsFinal(true)
}

const toFailure = (response: streams.BatchAppendResp): AppendFailure =>
  response.getError()?.getDetails()?.getTypeUrl().endsWith('WrongExpectedVersion') ? 'moved' : 'unknown'

/** Positions of the appends in the order sent, once all are answered. */
const collectAnswers = (call: BatchCall, ids: readonly string[]): Promise<E.Either<AppendFailure, readonly number[]>> =>
  new Promise((resolve) => {
    const positions = new Map<string, number>()
    let late = setTimeout(() => resolve(E.left('unknown')), RESPONSE_TIMEOUT_MS)
    const end = (result: E.Either<AppendFailure, readonly number[]>): void => {
      clearTimeout(late)
      resolve(result)
    }
    call
      .on('data', (response: streams.BatchAppendResp) => {
        if (!response.hasSuccess()) return end(E.left(toFailure(response)))
        const position = response.getSuccess()?.getPosition()?.getCommitPosition() ?? 'none'
        positions.set(response.getCorrelationId()?.getString() ?? '', Number(position))
        clearTimeout(late)
        late = setTimeout(() => resolve(E.left('unknown')), RESPONSE_TIMEOUT_MS)
        if (positions.size === ids.length) end(E.right(ids.map((id) => positions.get(id) ?? Number.NaN)))
      })
      .on('error', () => end(E.left('unknown')))
      .on('end', () => end(E.left('unknown')))
  })

const isIncreasing = (positions: readonly number[]): boolean =>
  positions.every((position, n) => n === 0 || position > (positions[n - 1] as number))

export const makeAppendSeries =
  ({ prefix, use }: StoreConnection): AppendSeries =>
  (appends) =>
    use(async (client): Promise<E.Either<AppendFailure, void>> => {
      const call = await client.batchAppend({ requiresLeader: true })
      try {
        const ids = appends.map(() => randomUUID())
        const answers = collectAnswers(call, ids)
        for (const [n, append] of appends.entries()) call.write(makeRequest(prefix, append, ids[n] as string))
        const positions = await answers
        if (E.isLeft(positions)) return positions
        return isIncreasing(positions.right) ? E.right(undefined) : E.left('unknown')
      } finally {
        call.cancel()
      }
    })
