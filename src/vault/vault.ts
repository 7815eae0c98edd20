import * as E from 'fp-ts/lib/Either.js'
import { SECRET_FIELDS, type SecretField } from '../domain/events/sut.ts'
import { USER_SECRET_FIELDS, type UserSecretField } from '../domain/events/user.ts'
import { WEBHOOK_SECRET_FIELDS, type WebhookSecretField } from '../domain/events/webhook.ts'
import { type SealedSecret, tokensOwner, userOwner, webhookOwner } from '../domain/sealed-secret.ts'
import { makeId } from '../domain/values/ids.ts'
import type { Clock } from '../domain/values/units.ts'
import type { SecretStore } from '../event-store/event-store.ts'
import { KEY_CHECKS, NONCE_BYTES, openSecret, type Place, sealSecret } from './cipher.ts'
import type { KeyRing } from './keys.ts'

export type VaultStore = Pick<SecretStore, 'readSecrets' | 'writeSecrets'>

type SecretValues<F extends string> = { readonly [K in F]?: string | undefined }

/** Secrets that changed together: what an event records of them, and what the store keeps. */
export interface Sealed<F extends string> {
  readonly credentials: { readonly id: string; readonly changed: readonly F[] }
  readonly secrets: readonly SealedSecret[]
}

interface OpenedSecret {
  /** The id of the change that an event names. */
  readonly id: string
  /** Undefined if it cannot be opened: its key is missing, or it was altered, or it is from another place. */
  readonly clear: string | undefined
  /** Why it cannot be opened. */
  readonly why?: string
}

export type WebhookSecrets = { readonly [F in WebhookSecretField]?: OpenedSecret }

export type UserSecrets = { readonly [F in UserSecretField]?: OpenedSecret }

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

/** The secrets of each of these owners, by field. */
const openSecretsOf = async (
  store: VaultStore,
  keys: KeyRing,
  owners: readonly string[],
): Promise<readonly Readonly<Record<string, OpenedSecret>>[]> => {
  const byOwner = Map.groupBy(await store.readSecrets(...owners), ({ owner }) => owner)
  return owners.map((owner) => {
    const secrets = (byOwner.get(owner) ?? []).map((secret): readonly [string, OpenedSecret] => {
      const { field, id } = secret
      const opened = openSecret(keys, secret)
      return [field, E.isRight(opened) ? { id, clear: opened.right } : { id, clear: undefined, why: opened.left }]
    })
    return Object.fromEntries(secrets)
  })
}

const isSet = (secret: OpenedSecret | undefined): boolean => secret !== undefined && secret.clear !== ''

interface VaultOptions {
  readonly store: VaultStore
  readonly keys: KeyRing
  readonly clock: Clock
  readonly randomBytes: (size: number) => Uint8Array
}

const makeSealed =
  (randomBytes: VaultOptions['randomBytes']) =>
  (ring: KeyRing, place: Omit<Place, 'key_id'>, clear: string): SealedSecret =>
    sealSecret(ring.current, place, clear, randomBytes(NONCE_BYTES))

type SealFields = <F extends string>(owner: string, fields: readonly F[], secrets: SecretValues<F>) => Sealed<F>

const ofWebhooks = (sealFields: SealFields, openOwn: (owner: string) => Promise<WebhookSecrets>) => ({
  /** As `sealUser`, for a webhook. */
  sealWebhook: (webhookId: string, secrets: SecretValues<WebhookSecretField>): Sealed<WebhookSecretField> =>
    sealFields(webhookOwner(webhookId), WEBHOOK_SECRET_FIELDS, secrets),
  readWebhook: (webhookId: string): Promise<WebhookSecrets> => openOwn(webhookOwner(webhookId)),
})

export const makeVault = ({ store, keys: first, clock, randomBytes }: VaultOptions) => {
  let keys = first
  const sealed = makeSealed(randomBytes)

  const take = async (ring: KeyRing): Promise<E.Either<readonly string[], void>> => {
    const before = await compareKeys(store, ring)
    if (E.isLeft(before)) return before
    const { id: field } = ring.current
    const own = before.right.find((check) => check.field === field)
    // If another check value is newer, this key was current before and is again.
    if (own === undefined || before.right.some((check) => currentSince(check) > currentSince(own))) {
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

  const openOwn = async (owner: string) => (await openSecretsOf(store, keys, [owner]))[0] ?? {}

  return {
    /**
     * Checks the ring against the store's key check values, and adds one for the current key. Left: every key that is
     * missing or differs. Do not seal anything before this returns Right.
     */
    check: (): Promise<E.Either<readonly string[], void>> => take(keys),
    /** Checks another ring the same way and, if Right, makes it current. */
    take,
    keys: (): KeyRing => keys,
    /** Undefined if there is nothing to seal. */
    seal: (sutId: string, secrets: SecretValues<SecretField>): Sealed<SecretField> | undefined => {
      const sealed = sealFields(sutId, SECRET_FIELDS, secrets)
      return sealed.secrets.length === 0 ? undefined : sealed
    },
    /** The password of a SUT; undefined if it has none. Left: why it cannot be read. */
    passwordOf: async (sutId: string): Promise<E.Either<string, string | undefined>> => {
      const { clear, why } = (await openOwn(sutId)).password ?? {}
      return why === undefined ? E.right(clear || undefined) : E.left(`the password cannot be read: ${why}`)
    },
    /** Which secrets a SUT has, without those that are empty. One that cannot be opened counts. */
    has: async (sutId: string): Promise<{ readonly [F in SecretField]: boolean }> => {
      const { password, user_name } = await openOwn(sutId)
      return { password: isSet(password), user_name: isSet(user_name) }
    },
    /** As `seal`, for a user, of whom something has changed. */
    sealUser: (userId: string, secrets: SecretValues<UserSecretField>): Sealed<UserSecretField> =>
      sealFields(userOwner(userId), USER_SECRET_FIELDS, secrets),
    /** As `sealUser`, for the name of a token. */
    sealTokenName: (userId: string, tokenId: string, name: string): Sealed<string> =>
      sealFields(tokensOwner(userId), [tokenId], { [tokenId]: name }),
    /** The names of a user's tokens that can be opened, by id; also of revoked ones. */
    revealTokenNames: async (userId: string): Promise<ReadonlyMap<string, string>> => {
      const names = Object.entries(await openOwn(tokensOwner(userId)))
      return new Map(names.flatMap(([id, { clear }]) => (clear === undefined ? [] : [[id, clear] as const])))
    },
    ...ofWebhooks(sealFields, openOwn),
    /**
     * The secrets of each of these users. The store may be ahead of the events that a reader has seen: compare the ids.
     */
    readUsers: (...userIds: readonly string[]): Promise<readonly UserSecrets[]> =>
      openSecretsOf(store, keys, userIds.map(userOwner)),
  }
}
