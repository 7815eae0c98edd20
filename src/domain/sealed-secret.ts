/** A secret as stored: encrypted with the named key. Secrets are kept next to the log, never in its events. */
export interface SealedSecret {
  /** Whose it is: a SUT by its id, a user as `user:<id>`. What begins with `-` is no secret: key check values and the audit key. */
  readonly owner: string
  readonly field: string
  /** The random id that an event refers to. */
  readonly id: string
  readonly key_id: string
  readonly nonce: Uint8Array
  /** A256GCM: ciphertext and tag. */
  readonly ciphertext: Uint8Array
}
