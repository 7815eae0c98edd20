/**
 * Encodes and decodes stored events. The stored form is the RFC 8785 form of `{data, id, metadata, revision, stream,
 * type}`, which is the input of the leaf hash.
 */

import { hash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { anything, integer, oneOf, text } from '../domain/codec/codec.ts'
import { closed, pathOf } from '../domain/codec/object-codec.ts'
import {
  EVENT_TYPES,
  eventDeclarations,
  Metadata,
  type NewEvent,
  type Recorded,
  schemaVersion,
} from '../domain/event.ts'
import { LOG_VERSION } from '../domain/events/log.ts'
import { canonicalJson } from '../domain/values/canonical-json.ts'
import type { StorePosition } from '../domain/values/position.ts'
import { ExpectedError } from '../files/expected-error.ts'

export const encodeEvent = (stream: string, revision: number, event: NewEvent): string => {
  const { id, type, data, metadata } = event
  return canonicalJson({ data, id, metadata, revision, stream, type })
}

/** Bytes of a Merkle tree hash. */
export const HASH_BYTES = 32

/** Leaf hash of the log's Merkle tree (RFC 6962, section 2.1): SHA-256 of a zero byte and the event. */
// Via a binary string: `hash` allocates separate memory for a buffer, which takes twice as long.
export const leafHash = (stored: string): Buffer => Buffer.from(hash('sha256', `\0${stored}`, 'latin1'), 'latin1')

/** A 1 byte and space for two hashes. Reusing the buffer saves a third of the time. */
const node = Buffer.alloc(1 + 2 * HASH_BYTES, 1)

/** Node hash: SHA-256 of a 1 byte and the hashes of the two children. */
export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => {
  node.set(left, 1)
  node.set(right, 1 + HASH_BYTES)
  return Buffer.from(hash('sha256', node, 'latin1'), 'latin1')
}

const Envelope = closed(
  'event',
  {
    stream: text(1, 256),
    revision: integer(0, Number.MAX_SAFE_INTEGER),
    id: text(36, 36),
    type: oneOf(...EVENT_TYPES),
    data: anything,
    metadata: Metadata,
  },
  {},
)

/** A stored event that this version cannot read. It stops the service, since events are never skipped. */
export class UndecodableEvent extends ExpectedError {}

const isFromNewerVersion = (data: unknown): data is { readonly version: number } =>
  typeof data === 'object' && data !== null && 'version' in data && Number(data.version) > LOG_VERSION

const orThrow = <A>(read: t.Validation<A>, place: string, prefix: string): A => {
  if (E.isRight(read)) return read.right
  const problems = read.left.map((error) => {
    const path = [prefix, ...pathOf(error)].filter((part) => part !== '').join('/')
    return `/${path}: ${error.message ?? `${JSON.stringify(error.value)} is not allowed here`}`
  })
  throw new UndecodableEvent(`${place}: ${problems.join('; ')}`)
}

/**
 * Decodes the output of `encodeEvent`.
 *
 * @param storePosition where it is in the log
 * @throws UndecodableEvent `stream@revision: /path: why`
 */
export const decodeEvent = (stored: string, storePosition: StorePosition): Recorded => {
  let parsed: unknown
  try {
    parsed = JSON.parse(stored)
  } catch (error) {
    throw new UndecodableEvent(`store position ${storePosition}: /: ${(error as Error).message}`)
  }
  return decodeParsed(parsed, storePosition)
}

/**
 * Decodes an object of `stream`, `revision`, `id`, `type`, `data` and `metadata`, for stores that keep these
 * separately.
 */
export const decodeParsed = (parsed: unknown, storePosition: StorePosition): Recorded => {
  const named = parsed as Partial<Record<'stream' | 'revision', unknown>> | null
  const place = `${named?.stream}@${named?.revision}`
  const { stream, revision, id, type, data, metadata } = orThrow(Envelope.decode(parsed), place, '')
  if (metadata.schema > schemaVersion(type)) {
    throw new UndecodableEvent(`${place}: /metadata/schema: ${metadata.schema} was written by a newer version of Berth`)
  }
  if (type === 'LogVersionSet' && isFromNewerVersion(data)) {
    throw new UndecodableEvent(
      `${place}: /data/version: the log has version ${data.version}, set by a newer version of Berth; this one reads ${LOG_VERSION}`,
    )
  }
  const known = orThrow<unknown>(eventDeclarations[type].data.decode(data), place, 'data')
  return { type, data: known, stream, revision, id, metadata, storePosition } as Recorded
}
