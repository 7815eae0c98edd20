import * as E from 'fp-ts/lib/Either.js'
import { describeSecret, type SealedSecret } from '../domain/sealed-secret.ts'
import type { PublicPosition } from '../domain/values/position.ts'
import { openSecret } from './cipher.ts'
import type { ExpectedSecret, ExpectedSecrets } from './expected-secrets.ts'
import type { KeyRing } from './keys.ts'
import { type SealedStore, sealedWith, withoutChecks } from './needs.ts'
import { readKnownKeyIds } from './vault.ts'

/** A difference between the vault and the log. `position` is null if no event names the secret. */
export interface SecretFinding {
  readonly position: PublicPosition | null
  /** One sentence, without any part of a secret. */
  readonly what: string
}

/** Result of checking an owner's secrets. */
export interface CheckedOwner {
  readonly opened: number
  /** Key ids, one per secret, of secrets whose key is not available. */
  readonly unopened: readonly string[]
  readonly findings: readonly SecretFinding[]
}

/** Whether a key has sealed secrets of this log, so that one sealed with it may be right although the key is missing. */
type IsKnownKey = (id: string) => boolean

/** The keys of the log: those that it has used, those at hand, and those that were given up as lost. */
export const readKnownKeys = async (
  store: Pick<SealedStore, 'readSecrets'>,
  { keys }: Pick<KeyRing, 'keys'>,
  { forgotten }: Pick<ExpectedSecrets, 'forgotten'>,
): Promise<IsKnownKey> => {
  const ids = new Set([...(await readKnownKeyIds(store)), ...keys.map(({ id }) => id)])
  return (id) => ids.has(id) || forgotten.has(id)
}

const NOTHING: ReadonlyMap<string, ExpectedSecret> = new Map()

/** Checks a secret that an event names. Undefined if it is fine or its key is not available. */
const findProblem = (
  ring: KeyRing,
  isKnownKey: IsKnownKey,
  name: string,
  { id }: ExpectedSecret,
  secret: SealedSecret | undefined,
) => {
  if (secret === undefined) return `${name} is missing in the vault`
  if (secret.id !== id) return `${name} in the vault belongs to a different change than this event`
  if (!isKnownKey(secret.key_id)) return `${name} in the vault names a key that this log has never used`
  if (!ring.keys.some((key) => key.id === secret.key_id)) return undefined
  const opened = openSecret(ring, secret)
  return E.isLeft(opened) ? `${name} cannot be opened: ${opened.left}` : undefined
}

/**
 * Checks that an owner's secrets are present, open with their keys and belong to the owner, which the encryption binds.
 * Without the key, checks only presence, and that the log knows the key.
 */
export const checkOwner = async (
  store: SealedStore,
  ring: Pick<KeyRing, 'keys'>,
  isKnownKey: IsKnownKey,
  owner: string,
  fields: ReadonlyMap<string, ExpectedSecret> = NOTHING,
): Promise<CheckedOwner> => {
  const kept = await store.readSecrets(owner)
  const findings: SecretFinding[] = []
  const unopened: string[] = []
  let opened = 0
  for (const [field, expected] of fields) {
    const secret = kept.find((each) => each.field === field && each.owner === owner)
    const what = findProblem(ring as KeyRing, isKnownKey, describeSecret(owner, field), expected, secret)
    const isAtHand = secret !== undefined && ring.keys.some((key) => key.id === secret.key_id)
    if (what !== undefined) findings.push({ position: expected.position, what })
    else if (isAtHand) opened++
    else unopened.push(String(secret?.key_id))
  }
  // An owner that the log names has fields until it is erased.
  const why = fields !== NOTHING && fields.size === 0 ? 'was erased' : 'no event has set'
  for (const { field } of kept.filter((each) => !fields.has(each.field))) {
    findings.push({ position: null, what: `the vault has ${describeSecret(owner, field)}, which ${why}` })
  }
  return { opened, unopened, findings }
}

/** Owners of secrets in the vault, sealed with these keys, that no event names. */
export const findUnknownOwners = async (
  store: SealedStore,
  keyIds: Iterable<string>,
  { owners }: ExpectedSecrets,
): Promise<readonly string[]> => {
  const unknown = new Set<string>()
  for (const keyId of keyIds) {
    for await (const page of sealedWith(store, keyId))
      for (const { owner } of withoutChecks(page)) if (!owners.has(owner)) unknown.add(owner)
  }
  return [...unknown]
}
