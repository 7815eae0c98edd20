import * as E from 'fp-ts/lib/Either.js'
import { describeSecret, type SealedSecret, tokensOwner, userOwner, webhookOwner } from '../domain/sealed-secret.ts'
import { makePositionCounter, type PublicPosition, type StorePosition } from '../domain/values/position.ts'
import type { EventStore, StoredRecord } from '../event-store/event-store.ts'
import { openSecret } from './cipher.ts'
import type { KeyRing } from './keys.ts'
import { type SealedStore, sealedWith, withoutChecks } from './needs.ts'
import { readKnownKeyIds } from './vault.ts'

/** A secret according to the log: the change that set it, and the event's position. */
interface ExpectedSecret {
  readonly id: string
  readonly position: PublicPosition
}

interface Named {
  readonly key?: string
  readonly _id?: string
  readonly user_id?: string
  readonly credentials?: { readonly id: string; readonly changed: readonly string[] }
}

/** Of what stored events have in their text that concern secrets. Most need not be parsed. */
const CONCERNS = /"credentials":\{|"type":"(?:VaultKeyForgotten|UserErased|WebhookRemoved)"/

const OF_WEBHOOKS = ['WebhookCreated', 'WebhookUpdated', 'WebhookSecretReplaced']

const ownerOf = (type: string, _id: string, userId = ''): string => {
  if (type === 'TokenIssued') return tokensOwner(userId)
  if (OF_WEBHOOKS.includes(type)) return webhookOwner(_id)
  return type === 'UserAdded' || type === 'UserChanged' ? userOwner(_id) : _id
}

/**
 * The log as it is read, and the current secrets according to it.
 *
 * @param isDense whether store positions are consecutive, as in the embedded store
 */
export const followSecrets = (store: Pick<EventStore, 'records'>, after: StorePosition, isDense: boolean) => {
  const owners = new Map<string, Map<string, ExpectedSecret>>()
  const forgotten = new Set<string>()
  const positionOf = makePositionCounter(isDense)
  let last = after

  /** Adds the next stored event. Ignores unreadable events, which other checks report. */
  const add = (position: PublicPosition, text: string): void => {
    if (!CONCERNS.test(text)) return
    const event = E.tryCatch(
      () => JSON.parse(text) as { readonly type?: string; readonly data?: Named } | null,
      E.toError,
    )
    const { type = '', data } = (E.isRight(event) && event.right) || {}
    const { key, _id, user_id, credentials } = data ?? {}
    if (type === 'VaultKeyForgotten') forgotten.add(String(key))
    else if (type === 'UserErased') {
      for (const owner of [userOwner, tokensOwner]) owners.set(owner(String(_id)), new Map())
    }
    if (type === 'WebhookRemoved') owners.set(webhookOwner(String(_id)), new Map())
    if (_id === undefined || credentials === undefined) return
    const owner = ownerOf(type, _id, user_id)
    const fields = owners.get(owner) ?? new Map<string, ExpectedSecret>()
    owners.set(owner, fields)
    for (const field of credentials.changed) fields.set(field, { id: credentials.id, position })
  }

  const read = async function* (): AsyncGenerator<readonly StoredRecord[]> {
    for await (const page of store.records(last)) {
      for (const { storePosition, text } of page) {
        last = storePosition
        add(positionOf(storePosition), text)
      }
      yield page
    }
  }
  return {
    records: read(),
    /** By owner and field: all owners that ever had secrets. An erased user has none. */
    owners: owners as ReadonlyMap<string, ReadonlyMap<string, ExpectedSecret>>,
    /** Keys given up as lost. */
    forgotten: forgotten as ReadonlySet<string>,
    catchUp: async (): Promise<void> => {
      for await (const _ of read());
    },
  }
}

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
  let doubtful = await check(all)
  for (let n = 1; n < CHECKS && doubtful.length > 0; n++) {
    await catchUp()
    doubtful = await check(doubtful)
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
