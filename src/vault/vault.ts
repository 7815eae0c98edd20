import { createCipheriv, createDecipheriv } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import { SECRET_FIELDS, type SecretField } from '../domain/events/sut.ts'
import type { SealedSecret } from '../domain/sealed-secret.ts'
import { canonicalJson } from '../domain/values/canonical-json.ts'
import { makeId } from '../domain/values/ids.ts'
import type { KeyRing, VaultKey } from './keys.ts'

/** The part of the event store the vault uses. */
export interface SecretStore {
  readonly readSecrets: (owner: string) => Promise<readonly SealedSecret[]>
  readonly writeSecrets: (secrets: readonly SealedSecret[]) => Promise<void>
}

export type Secrets = { readonly [F in SecretField]?: string | undefined }

/** Secrets that changed together: what an event records of them, and what the store keeps. */
export interface Sealed {
  readonly credentials: { readonly id: string; readonly changed: readonly SecretField[] }
  readonly secrets: readonly SealedSecret[]
}

export interface Vault {
  /**
   * Checks the ring against the store's key check values, and adds one for the current key. Left: every key that is
   * missing or differs. Do not seal anything before this returns Right.
   */
  readonly check: () => Promise<E.Either<readonly string[], void>>
  /** Checks another ring the same way and, if Right, makes it current. */
  readonly take: (keys: KeyRing) => Promise<E.Either<readonly string[], void>>
  /** The current ring. */
  readonly keys: () => KeyRing
  /** Undefined if there is nothing to seal. */
  readonly seal: (sutId: string, secrets: Secrets) => Sealed | undefined
  /** A SUT's decrypted secrets. Left names the field and the problem. */
  readonly reveal: (sutId: string) => Promise<E.Either<string, { readonly [F in SecretField]?: string }>>
}

// Random 96-bit nonces allow 2^32 secrets per key (NIST SP 800-38D, section 8.3).
export const NONCE_BYTES = 12
const TAG_BYTES = 16
const CIPHER = 'aes-256-gcm'

/** The owner of key check values. Their field is the key's id. */
export const KEY_CHECKS = '-'

type Place = Omit<SealedSecret, 'nonce' | 'ciphertext'>

/** The owner as ciphertexts name it: `sut:<id>`. The store knows a SUT's secrets by its bare id. */
const boundOwner = (owner: string): string =>
  owner.startsWith(KEY_CHECKS) || owner.includes(':') ? owner : `sut:${owner}`

/** Binds a ciphertext to its place. It does not open for another owner, field or change. */
const additionalData = ({ field, id, key_id }: Place, owner: string): Buffer =>
  Buffer.from(canonicalJson([owner, field, id, key_id]))

export const sealSecret = (
  key: VaultKey,
  place: Omit<Place, 'key_id'>,
  clear: string,
  nonce: Uint8Array,
): SealedSecret => {
  const sealed = { owner: place.owner, field: place.field, id: place.id, key_id: key.id }
  const cipher = createCipheriv(CIPHER, key.key, nonce, { authTagLength: TAG_BYTES }).setAAD(
    additionalData(sealed, boundOwner(place.owner)),
  )
  return {
    ...sealed,
    nonce,
    ciphertext: Buffer.concat([cipher.update(clear, 'utf8'), cipher.final(), cipher.getAuthTag()]),
  }
}

const decrypt = (key: VaultKey, sealed: SealedSecret, owner: string): string | undefined => {
  const { nonce, ciphertext } = sealed
  const end = ciphertext.length - TAG_BYTES
  try {
    const decipher = createDecipheriv(CIPHER, key.key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(additionalData(sealed, owner))
      .setAuthTag(ciphertext.subarray(end))
    return Buffer.concat([decipher.update(ciphertext.subarray(0, end)), decipher.final()]).toString()
  } catch {
    return undefined
  }
}

export const openSecret = ({ keys }: KeyRing, sealed: SealedSecret): E.Either<string, string> => {
  const { owner, key_id, nonce, ciphertext } = sealed
  const key = keys.find(({ id }) => id === key_id)
  if (key === undefined) return E.left(`its key ${JSON.stringify(key_id)} is missing`)
  if (ciphertext.length < TAG_BYTES || nonce.length !== NONCE_BYTES) return E.left('it is incomplete')
  // At first only SUTs had secrets, bound to their bare ids.
  const clear = decrypt(key, sealed, boundOwner(owner)) ?? decrypt(key, sealed, owner)
  if (clear !== undefined) return E.right(clear)
  return E.left(`it was not sealed here with the key ${JSON.stringify(key_id)}, or it was altered`)
}

const KEY_CHECK_TEXT = 'berth'

/** When a key became current: Unix milliseconds with a resolution of one second, from the id of its check value. */
export const currentSince = ({ id }: SealedSecret): number => Number.parseInt(id.slice(0, 8), 16) * 1000

/** Ids of all keys that secrets in the store were sealed with. */
export const readKnownKeyIds = async (store: Pick<SecretStore, 'readSecrets'>): Promise<readonly string[]> =>
  (await store.readSecrets(KEY_CHECKS)).map(({ key_id }) => key_id)

/** Checks a ring for one key of the store: it must be present and the same. */
const keyProblem = (ring: KeyRing, check: SealedSecret): readonly string[] => {
  const id = JSON.stringify(check.key_id)
  if (!ring.keys.some((key) => key.id === check.key_id)) {
    return [`the key ${id} is missing: secrets in the store were sealed with it`]
  }
  const opened = openSecret(ring, check)
  return E.isRight(opened) && opened.right === KEY_CHECK_TEXT && check.field === check.key_id
    ? []
    : [`the key ${id} is not the one the store knows by this id`]
}

interface VaultOptions {
  readonly store: SecretStore
  readonly keys: KeyRing
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly randomBytes: (size: number) => Uint8Array
}

export const makeVault = ({ store, keys: first, clock, randomBytes }: VaultOptions): Vault => {
  let keys = first
  const randomId = (): string => Buffer.from(randomBytes(12)).toString('hex')
  const sealed = (ring: KeyRing, place: Omit<Place, 'key_id'>, clear: string): SealedSecret =>
    sealSecret(ring.current, place, clear, randomBytes(NONCE_BYTES))

  const compareKeys = async (ring: KeyRing): Promise<E.Either<readonly string[], readonly SealedSecret[]>> => {
    const checks = await store.readSecrets(KEY_CHECKS)
    const problems = checks.flatMap((check) => keyProblem(ring, check))
    return problems.length > 0 ? E.left(problems) : E.right(checks)
  }

  const take = async (ring: KeyRing): Promise<E.Either<readonly string[], void>> => {
    const before = await compareKeys(ring)
    if (E.isLeft(before)) return before
    const checks = before.right
    const { id: field } = ring.current
    const own = checks.find((check) => check.field === field)
    // If another check value is newer, this key was current before and is again.
    if (own === undefined || checks.some((check) => currentSince(check) > currentSince(own))) {
      const id = makeId(clock(), Buffer.from(randomBytes(8)).toString('hex'))
      await store.writeSecrets([sealed(ring, { owner: KEY_CHECKS, field, id }, KEY_CHECK_TEXT)])
      // Another instance may have added another key at the same time. Then neither may start sealing.
      const after = await compareKeys(ring)
      if (E.isLeft(after)) return after
    }
    keys = ring
    return E.right(undefined)
  }

  return {
    check: () => take(keys),
    take,
    keys: () => keys,
    seal: (sutId, secrets) => {
      const changed = SECRET_FIELDS.filter((field) => secrets[field] !== undefined)
      if (changed.length === 0) return undefined
      const id = randomId()
      const place = { owner: sutId, id }
      return {
        credentials: { id, changed },
        secrets: changed.map((field) => sealed(keys, { ...place, field }, secrets[field] as string)),
      }
    },
    reveal: async (sutId) => {
      const revealed: { [F in SecretField]?: string } = {}
      for (const secret of await store.readSecrets(sutId)) {
        const field = SECRET_FIELDS.find((known) => known === secret.field)
        if (field === undefined || secret.owner !== sutId)
          return E.left('the store gave secrets that are not of this SUT')
        const opened = openSecret(keys, secret)
        if (E.isLeft(opened)) return E.left(`the ${field} cannot be read: ${opened.left}`)
        revealed[field] = opened.right
      }
      return E.right(revealed)
    },
  }
}
