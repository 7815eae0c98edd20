/**
 * A secret as the store keeps it: encrypted under the key named, readable by nobody without it. It stands beside the
 * log, in none of its events.
 */
export interface SealedSecret {
  /** The SUT it belongs to; `-` for the values by which keys are recognised. */
  readonly sut_id: string
  readonly field: string
  /** The random id by which an event names it. */
  readonly id: string
  readonly key_id: string
  readonly nonce: Uint8Array
  /** A256GCM: ciphertext and tag. */
  readonly ciphertext: Uint8Array
}
