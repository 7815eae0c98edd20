import * as E from 'fp-ts/lib/Either.js'
import { describeSecret, type SealedSecret } from '../domain/sealed-secret.ts'
import type { PublicPosition } from '../domain/values/position.ts'
import { openSecret } from './cipher.ts'
import type { ExpectedSecret, followSecrets } from './expected-secrets.ts'
import type { KeyRing } from './keys.ts'
import { type SealedStore, sealedWith, withoutChecks } from './needs.ts'
import { readKnownKeyIds } from './vault.ts'

/** A difference between the vault and the log. `position` is null if no event names the secret. */
interface SecretFinding {
  readonly position: PublicPosition | null
  /** One sentence, without any part of a secret. */
  readonly what: string
}

/** How the vault compares with the log. */
export interface VerifiedVault {
  /** Current secrets, by the log. */
  readonly secrets: number
  /** Number of decrypted secrets. */
  readonly opened: number
  /** By their keys, secrets whose keys are missing, and perhaps given up: only their ids were checked. */
  readonly unopened: readonly { readonly key: string; readonly secrets: number; readonly is_forgotten: boolean }[]
  readonly findings: readonly SecretFinding[]
}

/** Number of checks of a finding: a running service may change secrets during the first ones. */
const CHECKS = 3

/** What checking a secret needs: the keys at hand, and which keys secrets of this log were sealed with. */
interface Keys {
  readonly ring: Pick<KeyRing, 'keys'>
  readonly isKnown: (id: string) => boolean
}

/** Why a secret that an event names is not as it must be. Undefined if it is fine, or its key is not available. */
const findProblem = (
  { ring, isKnown }: Keys,
  name: string,
  { id }: ExpectedSecret,
  secret: SealedSecret | undefined,
): string | undefined => {
  if (secret === undefined) return `${name} is missing in the vault`
  if (secret.id !== id) return `${name} in the vault belongs to a different change than this event`
  if (!isKnown(secret.key_id)) return `${name} in the vault names a key that this log has never used`
  if (!ring.keys.some((key) => key.id === secret.key_id)) return undefined
  const opened = openSecret(ring as KeyRing, secret)
  return E.isLeft(opened) ? `${name} cannot be opened: ${opened.left}` : undefined
}

/**
 * Checks that an owner's secrets are present, open with their keys and belong to the owner, which the encryption binds.
 * Without the key, checks only presence, and that the log knows the key.
 *
 * @param fields what the log names; undefined for an owner that it does not name
 */
const checkOwner = async (
  store: SealedStore,
  keys: Keys,
  owner: string,
  fields: ReadonlyMap<string, ExpectedSecret> | undefined,
) => {
  const kept = await store.readSecrets(owner)
  const findings: SecretFinding[] = []
  /** The keys of secrets without a problem. */
  const sound: string[] = []
  for (const [field, expected] of fields ?? []) {
    const secret = kept.find((each) => each.field === field && each.owner === owner)
    const what = findProblem(keys, describeSecret(owner, field), expected, secret)
    if (what !== undefined) findings.push({ position: expected.position, what })
    else sound.push(String(secret?.key_id))
  }
  // An owner that the log names has fields until it is erased.
  const why = fields?.size === 0 ? 'was erased' : 'no event has set'
  for (const { field } of kept.filter((each) => !fields?.has(each.field)))
    findings.push({ position: null, what: `the vault has ${describeSecret(owner, field)}, which ${why}` })
  return { findings, sound }
}

/**
 * Compares the vault with the log, once all of that was read.
 *
 * @param besides a key that is none of the vault's, and the owner of what is sealed with it
 * @throws StoreUnavailable
 */
export const verifyVault = async (
  store: SealedStore,
  ring: Pick<KeyRing, 'keys'>,
  { owners, forgotten, catchUp }: ReturnType<typeof followSecrets>,
  besides: { readonly keyId: string; readonly owner: string },
): Promise<VerifiedVault> => {
  const checked = new Map<string, Awaited<ReturnType<typeof checkOwner>>>()
  const atHand = new Set(ring.keys.map(({ id }) => id))
  /** Returns the owners with findings. */
  const check = async (some: Iterable<string>): Promise<readonly string[]> => {
    const used = new Set(await readKnownKeyIds(store))
    const keys: Keys = { ring, isKnown: (id) => used.has(id) || atHand.has(id) || forgotten.has(id) }
    for (const owner of some) checked.set(owner, await checkOwner(store, keys, owner, owners.get(owner)))
    return [...checked].flatMap(([owner, { findings }]) => (findings.length > 0 ? [owner] : []))
  }
  const all = new Set(owners.keys())
  // Those of secrets that no event names, too.
  for (const keyId of new Set([...(await readKnownKeyIds(store)), ...atHand, besides.keyId]))
    for await (const page of sealedWith(store, keyId))
      for (const { owner } of withoutChecks(page)) if (owner !== besides.owner) all.add(owner)
  let found = await check(all)
  for (let n = 1; n < CHECKS && found.length > 0; n++) {
    await catchUp()
    found = await check(found)
  }
  const [results, sound] = [[...checked.values()], [...checked.values()].flatMap((each) => each.sound)]
  const missing = Map.groupBy(
    sound.filter((id) => !atHand.has(id)),
    (id) => id,
  )
  return {
    secrets: [...owners.values()].reduce((sum, fields) => sum + fields.size, 0),
    opened: sound.filter((id) => atHand.has(id)).length,
    unopened: [...missing].map(([key, { length: secrets }]) => ({ key, secrets, is_forgotten: forgotten.has(key) })),
    findings: results.flatMap(({ findings }) => findings),
  }
}
