/** Times of the vault's work in the background, in milliseconds. */
export interface VaultLimits {
  /** Between checks for secrets of old keys. */
  readonly resealEvery: number
  /** Before re-encryption is retried after a failure. */
  readonly resealRetryAfter: number
  /** Between the checks of secrets that must agree, and before documents are looked for again. */
  readonly checkEvery: number
  /** Before reported findings are checked again, and after a failed check. */
  readonly recheckAfter: number
}

export const VAULT_LIMITS: VaultLimits = {
  resealEvery: 3_600_000,
  resealRetryAfter: 5_000,
  checkEvery: 1_000,
  recheckAfter: 60_000,
}
