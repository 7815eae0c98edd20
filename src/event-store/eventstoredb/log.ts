import { randomUUID } from 'node:crypto'
import { type AppendExpectedRevision, jsonEvent } from '@eventstore/db-client'
import * as E from 'fp-ts/lib/Either.js'
import { matching } from '../../domain/codec/codec.ts'
import { closed } from '../../domain/codec/object-codec.ts'
import type { RandomHex } from '../../domain/values/ids.ts'
import type { StorePosition } from '../../domain/values/position.ts'
import { ExpectedError } from '../../files/expected-error.ts'
import { type EventStore, UnusableLog } from '../event-store.ts'
import { type StoreConnection, toUnavailable } from './server/connection.ts'
import { faultOf } from './server/faults.ts'
import { type ReadPage, LOG_STREAM as STREAM, storePositionOf } from './server/read.ts'

const BEGUN = 'LogBegun'
const COPIED = 'LogCopied'

const WRITE_TIMEOUT_MS = 5_000
const ATTEMPT_TIMEOUT_MS = 3_000

const logId = matching('log id', /^[0-9a-f]{24}$/, 'must be 24 lower-case hex digits')
const Begun = closed(BEGUN, { log_id: logId }, { copy_of: logId })

/** The credentials lack permissions, or the authority of a node is not trusted. Retrying does not help. */
export class StoreDenied extends ExpectedError {}

interface LogStream {
  readonly connection: StoreConnection
  readonly readPage: ReadPage
}

interface Beginning {
  readonly randomHex: RandomHex
  readonly isReadOnly: boolean
  /** Id of the log being copied into this one. */
  readonly copyOf: string | undefined
}

/** Appends to the stream. False if another process was first. */
const tryAppend = async (
  { connection }: LogStream,
  expectedRevision: AppendExpectedRevision,
  type: string,
  data: Readonly<Record<string, string>>,
  within = WRITE_TIMEOUT_MS,
): Promise<boolean> => {
  const event = jsonEvent({ id: randomUUID(), type, data })
  const stream = connection.prefix + STREAM
  try {
    await connection.persist(within, (client) => client.append(stream, event, expectedRevision, ATTEMPT_TIMEOUT_MS))
    return true
  } catch (error) {
    if (faultOf(error) === 'moved') return false
    throw toUnavailable(`${STREAM} cannot be written`, error)
  }
}

/** Probes the write path with an append that cannot succeed, so nothing is written. */
export const probeAppend = (log: LogStream): Promise<boolean> =>
  tryAppend(log, 'no_stream', BEGUN, {}, 0).then(
    () => true,
    () => false,
  )

/** The log's id, of which log it is a copy, and the store position where it begins. */
export interface BegunLog extends Pick<EventStore, 'logId' | 'copyOf'> {
  readonly storePosition: StorePosition
}

const whyNoLog = ({ connection: { prefix } }: LogStream): string => {
  const where = prefix === '' ? '' : ` under the streamPrefix ${prefix}`
  return `there is no log in the event store${where}: start the service once`
}

/**
 * Opens the log, or creates it if it does not exist. Several instances may try at once.
 *
 * @throws UnusableLog if there is no log and none may be created, or it is not the expected one
 */
export const beginLog = async (log: LogStream, { randomHex, isReadOnly, copyOf }: Beginning): Promise<BegunLog> => {
  for (;;) {
    const [begun, ended] = (await log.readPage(STREAM, 0, 2)) ?? []
    if (begun !== undefined) {
      const decoded = Begun.decode(begun.data)
      if (E.isLeft(decoded)) throw new UnusableLog(`the stream ${STREAM} in the event store is not Berth's`)
      const { log_id, copy_of } = decoded.right
      const isUnfinished = copy_of !== undefined && ended === undefined
      if (copyOf === undefined && isUnfinished) {
        throw new UnusableLog(`the event store contains an unfinished copy of the log ${copy_of}: run "copy" again`)
      }
      if (copyOf !== undefined && !(isUnfinished && copy_of === copyOf)) {
        throw new UnusableLog(`the event store already contains the log ${log_id}: copy into an empty one`)
      }
      return { logId: log_id, ...(copy_of && { copyOf: copy_of }), storePosition: storePositionOf(begun) }
    }
    if (isReadOnly) throw new UnusableLog(whyNoLog(log))
    await tryAppend(log, 'no_stream', BEGUN, {
      log_id: randomHex(12),
      ...(copyOf !== undefined && { copy_of: copyOf }),
    })
  }
}

export const endCopy = async (log: LogStream): Promise<void> => {
  if (!(await tryAppend(log, 0n, COPIED, {}))) throw new UnusableLog(`another process has written to ${STREAM}`)
}
