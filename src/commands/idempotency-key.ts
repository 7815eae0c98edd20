import { createHmac, hkdfSync } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { Problem } from '../domain/failure.ts'
import { findRecord, type IdempotencyRecord, type IdempotencyRecords } from '../domain/idempotency-records.ts'
import { canonicalJson } from '../domain/values/canonical-json.ts'
import type { KeyRing } from '../vault/keys.ts'

/**
 * A retry key and the request it came with, as two HMACs joined by a dot: what is recorded gives away neither, and not
 * whether two requests were alike, for bodies hold passwords.
 */
export interface IdempotencyKey {
  /** What is recorded: `metadata.key`. */
  readonly current: string
  /** Under every key of the ring, the current first: what may have been recorded before keys were rotated. */
  readonly candidates: readonly string[]
}

export interface IdempotencyKeys {
  /** What a request is told apart by: where it goes, its body, and the reason it gives. */
  readonly derive: (
    userId: string,
    key: string,
    method: string,
    path: string,
    body: Uint8Array | string,
    reason?: string,
  ) => IdempotencyKey
}

/** 22 characters of base64url: 132 bits. */
const LENGTH = 22

// A JSON array ends where its bracket closes, so that no two lists of parts, with a body behind them, read the same.
const mac = (key: Uint8Array, parts: readonly string[], body: Uint8Array | string): string =>
  createHmac('sha256', key).update(canonicalJson(parts)).update(body).digest('base64url').slice(0, LENGTH)

export const makeIdempotencyKeys = ({ keys }: Pick<KeyRing, 'keys'>): IdempotencyKeys => {
  // Keys of their own: what the vault's keys seal must not depend on what is recorded with these.
  const derived = keys.map(({ key }) => new Uint8Array(hkdfSync('sha256', key, '', 'berth retry key', 32)))
  return {
    derive: (userId, key, method, path, body, reason) => {
      // Without a reason as it was before there were any: what was recorded then is still recognised.
      const request = ['request', userId, key, method, path, ...(reason === undefined ? [] : [reason])]
      const candidates = derived.map((secret) => {
        const retried = mac(secret, ['key', userId, key], '')
        return `${retried}.${mac(secret, request, body)}`
      })
      return { current: candidates[0] as string, candidates }
    },
  }
}

/** Goes by the ring that is in force at the moment. */
export const makeRotatingIdempotencyKeys = (currentRing: () => Pick<KeyRing, 'keys'>): IdempotencyKeys => {
  let ring = currentRing()
  let retryKeys = makeIdempotencyKeys(ring)
  return {
    derive: (...request) => {
      if (ring !== currentRing()) {
        ring = currentRing()
        retryKeys = makeIdempotencyKeys(ring)
      }
      return retryKeys.derive(...request)
    },
  }
}

/** What the key alone is known by, without its request: under every key of the ring, the current first. */
export const keyNames = ({ candidates }: IdempotencyKey): readonly string[] =>
  candidates.map((candidate) => candidate.slice(0, LENGTH))

/**
 * What was recorded under a retry key; `reused` when it came with another request then.
 *
 * @param passOver the object whose key does not count
 */
export const findRecorded = (
  known: IdempotencyRecords,
  { candidates }: IdempotencyKey,
  passOver?: string,
): IdempotencyRecord | 'reused' | undefined => {
  let isReused = false
  for (const candidate of candidates) {
    const found = findRecord(known, candidate)
    if (found === 'reused') isReused = true
    else if (found !== undefined && found._id !== passOver) return found
  }
  return isReused ? 'reused' : undefined
}

const VISIBLE = /^[\x21-\x7e]{1,255}$/
/** A string of RFC 8941. */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/

/** Reads an Idempotency-Key header; quoted and bare it is the same key. Right(undefined) where there is none. */
export const parseIdempotencyKey = (header: string | undefined): E.Either<Problem, string | undefined> => {
  if (header === undefined) return E.right(undefined)
  const quoted = QUOTED.exec(header)?.[1]?.replace(/\\(.)/g, '$1')
  const key = quoted ?? (header.startsWith('"') ? '' : header)
  if (VISIBLE.test(key)) return E.right(key)
  const detail = 'must be 1 to 255 visible ASCII characters, quoted or not'
  return E.left({ code: 'invalid', path: ['Idempotency-Key'], in: 'header', detail })
}
