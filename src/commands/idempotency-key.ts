import { createHmac } from 'node:crypto'
import { findRecord, type IdempotencyRecord, type IdempotencyRecords } from '../domain/idempotency-records.ts'
import { canonicalJson } from '../domain/values/canonical-json.ts'
import { type KeyRing, makeDerivedKeys } from '../vault/keys.ts'

/**
 * An idempotency key and its request, as two HMACs joined by a dot. The recorded value reveals neither, nor whether two
 * requests were alike, since bodies may contain passwords.
 */
export interface IdempotencyKey {
  /** The recorded value, `metadata.key`. */
  readonly current: string
  /**
   * The value under every key of the ring, current first. Earlier requests may have been recorded before a key
   * rotation.
   */
  readonly candidates: readonly string[]
}

export type IdempotencyKeys = ReturnType<typeof makeIdempotencyKeys>

/** 22 characters of base64url: 132 bits. */
const LENGTH = 22

// A JSON array ends at its bracket, so different parts followed by a body never produce the same input.
const mac = (key: Uint8Array, parts: readonly string[], body: Uint8Array | string): string =>
  createHmac('sha256', key).update(canonicalJson(parts)).update(body).digest('base64url').slice(0, LENGTH)

/** Uses the ring of each call: `ring` returns another one once its keys have changed. */
export const makeIdempotencyKeys = (ring: () => Pick<KeyRing, 'keys'>) => {
  const derivedOf = makeDerivedKeys('berth retry key')
  return {
    /** Derives the value from the key and the request: path, body and reason. */
    derive: (
      userId: string,
      key: string,
      method: string,
      path: string,
      body: Uint8Array | string,
      reason?: string,
    ): IdempotencyKey => {
      // Without a reason, the same input as before reasons existed, so that older records still match.
      const request = ['request', userId, key, method, path, ...(reason === undefined ? [] : [reason])]
      const candidates = ring().keys.map((sealing) => {
        const secret = derivedOf(sealing)
        const retried = mac(secret, ['key', userId, key], '')
        return `${retried}.${mac(secret, request, body)}`
      })
      return { current: candidates[0] as string, candidates }
    },
  }
}

/** The HMACs of the key alone, under every key of the ring, current first. */
export const keyNames = ({ candidates }: IdempotencyKey): readonly string[] =>
  candidates.map((candidate) => candidate.slice(0, LENGTH))

/** The record for an idempotency key, or `reused` if the key came with another request. */
export const findRecorded = (
  known: IdempotencyRecords,
  { candidates }: IdempotencyKey,
): IdempotencyRecord | 'reused' | undefined => {
  let isReused = false
  for (const candidate of candidates) {
    const record = findRecord(known, candidate)
    if (record === 'reused') isReused = true
    else if (record !== undefined) return record
  }
  return isReused ? 'reused' : undefined
}
