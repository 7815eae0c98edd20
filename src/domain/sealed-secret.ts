/** A secret as stored: encrypted with the named key. Secrets are kept next to the log, never in its events. */
export interface SealedSecret {
  /**
   * Whose it is: a SUT by its id, a user as `user:<id>`, a webhook as `webhook:<id>`. What begins with `-` is no secret: key check values and the audit
   * key.
   */
  readonly owner: string
  readonly field: string
  /** The random id that an event refers to. */
  readonly id: string
  readonly key_id: string
  readonly nonce: Uint8Array
  /** A256GCM: ciphertext and tag. */
  readonly ciphertext: Uint8Array
}

/** Prefixes of owners. No id of a SUT begins with one: those are hex digits. */
const [USER, TOKENS, WEBHOOK] = ['user:', 'tokens:', 'webhook:']

/** The owner of a user's secrets. The id may contain any printable character, `:` too. */
export const userOwner = (userId: string): string => USER + userId

/** The owner of the names of a user's tokens. */
export const tokensOwner = (userId: string): string => TOKENS + userId

/** The owner of the URL and the secrets of a webhook. */
export const webhookOwner = (webhookId: string): string => WEBHOOK + webhookId

export interface Owner {
  /** `tokens` has the names of a user's tokens. */
  readonly kind: 'SUT' | 'user' | 'tokens' | 'webhook'
  /** Of the SUT, the user or the webhook. */
  readonly id: string
}

export const parseOwner = (owner: string): Owner => {
  if (owner.startsWith(USER)) return { kind: 'user', id: owner.slice(USER.length) }
  if (owner.startsWith(TOKENS)) return { kind: 'tokens', id: owner.slice(TOKENS.length) }
  if (owner.startsWith(WEBHOOK)) return { kind: 'webhook', id: owner.slice(WEBHOOK.length) }
  return { kind: 'SUT', id: owner }
}

/** A secret in a message, such as `the password of the SUT 590780914445534540190000`. */
export const describeSecret = (owner: string, field: string): string => {
  const { kind, id } = parseOwner(owner)
  return kind === 'tokens' ? `the name of the token ${field} of the user ${id}` : `the ${field} of the ${kind} ${id}`
}
