import * as E from 'fp-ts/lib/Either.js'
import { SECRET_FIELDS, type SecretField } from '../domain/events/sut.ts'
import { USER_SECRET_FIELDS, type UserSecretField } from '../domain/events/user.ts'
import { type SealedSecret, tokensOwner, userOwner } from '../domain/sealed-secret.ts'
import { makeId } from '../domain/values/ids.ts'
import type { SecretStore } from '../event-store/event-store.ts'
import { KEY_CHECKS, NONCE_BYTES, openSecret, type Place, sealSecret } from './cipher.ts'
import type { KeyRing } from './keys.ts'

/** What the vault uses of the store. */
export type VaultStore = Pick<SecretStore, 'readSecrets' | 'writeSecrets'>

type SecretValues<F extends string> = { readonly [K in F]?: string | undefined }

/** Secrets that changed together: what an event records of them, and what the store keeps. */
export interface Sealed<F extends string> {
  readonly credentials: { readonly id: string; readonly changed: readonly F[] }
  readonly secrets: readonly SealedSecret[]
}

interface UserSecret {
  /** The id of the change that an event names. */
  readonly id: string
  /** Undefined if it cannot be opened: its key is missing, or it was altered, or it is from another place. */
  readonly clear: string | undefined
}

export type UserSecrets = { readonly [F in UserSecretField]?: UserSecret }

export type Vault = ReturnType<typeof makeVault>

const KEY_CHECK_TEXT = 'berth'

/** When a key became current: Unix milliseconds with a resolution of one second, from the id of its check value. */
export const currentSince = ({ id }: SealedSecret): number => Number.parseInt(id.slice(0, 8), 16) * 1000

/** Ids of all keys that secrets in the store were sealed with. */
export const readKnownKeyIds = async (store: Pick<VaultStore, 'readSecrets'>): Promise<readonly string[]> =>
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

const compareKeys = async (
  store: VaultStore,
  ring: KeyRing,
): Promise<E.Either<readonly string[], readonly SealedSecret[]>> => {
  const checks = await store.readSecrets(KEY_CHECKS)
  const problems = checks.flatMap((check) => keyProblem(ring, check))
  return problems.length > 0 ? E.left(problems) : E.right(checks)
}

/** A SUT's secrets by field. Left: which of them cannot be read and why, or that there are others. */
const readSecretsOfSut = async (
  store: VaultStore,
  keys: KeyRing,
  sutId: string,
): Promise<E.Either<string, { readonly [F in SecretField]?: string }>> => {
  const all: { [F in SecretField]?: string } = {}
  for (const secret of await store.readSecrets(sutId)) {
    const field = SECRET_FIELDS.find((known) => known === secret.field)
    if (field === undefined || secret.owner !== sutId) return E.left('the store gave secrets that are not of this SUT')
    const opened = openSecret(keys, secret)
    if (E.isLeft(opened)) return E.left(`the ${field} cannot be read: ${opened.left}`)
    all[field] = opened.right
  }
  return E.right(all)
}

const readSecretsOfUsers = async (
  store: VaultStore,
  keys: KeyRing,
  userIds: readonly string[],
): Promise<readonly UserSecrets[]> => {
  const owners = userIds.map(userOwner)
  const byOwner = Map.groupBy(await store.readSecrets(...owners), ({ owner }) => owner)
  return owners.map((owner) => {
    const secrets = (byOwner.get(owner) ?? []).map((secret): readonly [string, UserSecret] => {
      const opened = openSecret(keys, secret)
      return [secret.field, { id: secret.id, clear: E.isRight(opened) ? opened.right : undefined }]
    })
    return Object.fromEntries(secrets)
  })
}

const findSecretsOf = async (
  store: VaultStore,
  keys: KeyRing,
  sutId: string,
): Promise<{ readonly [F in SecretField]: boolean }> => {
  const sealed = (await store.readSecrets(sutId)).filter(({ owner }) => owner === sutId)
  const isEmpty = (secret: SealedSecret): boolean => {
    const opened = openSecret(keys, secret)
    return E.isRight(opened) && opened.right === ''
  }
  const has = (field: SecretField): boolean => sealed.some((secret) => secret.field === field && !isEmpty(secret))
  return { password: has('password'), user_name: has('user_name') }
}

interface VaultOptions {
  readonly store: VaultStore
  readonly keys: KeyRing
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly randomBytes: (size: number) => Uint8Array
}

export const makeVault = ({ store, keys: first, clock, randomBytes }: VaultOptions) => {
  let keys = first
  const sealed = (ring: KeyRing, place: Omit<Place, 'key_id'>, clear: string): SealedSecret =>
    sealSecret(ring.current, place, clear, randomBytes(NONCE_BYTES))

  const take = async (ring: KeyRing): Promise<E.Either<readonly string[], void>> => {
    const before = await compareKeys(store, ring)
    if (E.isLeft(before)) return before
    const checks = before.right
    const { id: field } = ring.current
    const own = checks.find((check) => check.field === field)
    // If another check value is newer, this key was current before and is again.
    if (own === undefined || checks.some((check) => currentSince(check) > currentSince(own))) {
      const id = makeId(clock(), Buffer.from(randomBytes(8)).toString('hex'))
      await store.writeSecrets([sealed(ring, { owner: KEY_CHECKS, field, id }, KEY_CHECK_TEXT)])
      // Another instance may have added another key at the same time. Then neither may start sealing.
      const after = await compareKeys(store, ring)
      if (E.isLeft(after)) return after
    }
    keys = ring
    return E.right(undefined)
  }

  const sealFields = <F extends string>(owner: string, fields: readonly F[], secrets: SecretValues<F>) => {
    const changed = fields.filter((field) => secrets[field] !== undefined)
    const id = Buffer.from(randomBytes(12)).toString('hex')
    return {
      credentials: { id, changed },
      secrets: changed.map((field) => sealed(keys, { owner, field, id }, secrets[field] as string)),
    }
  }

  return {
    /**
     * Checks the ring against the store's key check values, and adds one for the current key. Left: every key that is
     * missing or differs. Do not seal anything before this returns Right.
     */
    check: (): Promise<E.Either<readonly string[], void>> => take(keys),
    /** Checks another ring the same way and, if Right, makes it current. */
    take,
    /** The current ring. */
    keys: (): KeyRing => keys,
    /** Undefined if there is nothing to seal. */
    seal: (sutId: string, secrets: SecretValues<SecretField>): Sealed<SecretField> | undefined => {
      const sealed = sealFields(sutId, SECRET_FIELDS, secrets)
      return sealed.secrets.length === 0 ? undefined : sealed
    },
    /** A SUT's decrypted secrets. Left names the field and the problem. */
    reveal: (sutId: string) => readSecretsOfSut(store, keys, sutId),
    /** Which secrets a SUT has, without those that are empty. One that cannot be opened counts. */
    has: (sutId: string) => findSecretsOf(store, keys, sutId),
    /** As `seal`, for a user, of whom something has changed. */
    sealUser: (userId: string, secrets: SecretValues<UserSecretField>): Sealed<UserSecretField> =>
      sealFields(userOwner(userId), USER_SECRET_FIELDS, secrets),
    /** As `sealUser`, for the name of a token. */
    sealTokenName: (userId: string, tokenId: string, name: string): Sealed<string> =>
      sealFields(tokensOwner(userId), [tokenId], { [tokenId]: name }),
    /** The names of a user's tokens that can be opened, by id; also of revoked ones. */
    revealTokenNames: async (userId: string): Promise<ReadonlyMap<string, string>> => {
      const owner = tokensOwner(userId)
      const own = (await store.readSecrets(owner)).filter((secret) => secret.owner === owner)
      const opened = own.flatMap((secret) => {
        const name = openSecret(keys, secret)
        return E.isRight(name) ? [[secret.field, name.right] as const] : []
      })
      return new Map(opened)
    },
    /**
     * The secrets of each of these users. The store may be ahead of the events that a reader has seen: compare the ids.
     */
    readUsers: (...userIds: readonly string[]) => readSecretsOfUsers(store, keys, userIds),
  }
}
