import * as E from 'fp-ts/lib/Either.js'
import type { Config } from '../../app/config/config.ts'
import { AUDIT_KEY_ID, AUDIT_OWNER } from '../../audit/known-audit-key.ts'
import { makePositionCounter, type StorePosition } from '../../domain/values/position.ts'
import type { EventStore, StoredRecord } from '../../event-store/event-store.ts'
import { readRegularText } from '../../files/read-regular-file.ts'
import {
  type CheckedOwner,
  checkOwner,
  findUnknownOwners,
  readKnownKeys,
  type SecretFinding,
} from '../../vault/check-secrets.ts'
import { makeExpectedSecrets } from '../../vault/expected-secrets.ts'
import { type KeyRing, parseVaultKeys } from '../../vault/keys.ts'
import { readKnownKeyIds } from '../../vault/vault.ts'
import { orFail } from '../terminal/command.ts'

/** Secrets whose key is missing; permanently lost if it was forgotten. */
interface Unopened {
  readonly key: string
  readonly secrets: number
  readonly is_forgotten: boolean
}

/** Result of `verify --vault`. */
export interface VerifiedVault {
  /** Current secrets, by the log. */
  readonly secrets: number
  /** Number of decrypted secrets. */
  readonly opened: number
  /** Secrets whose keys are missing: present, but only their ids were checked. */
  readonly unopened: readonly Unopened[]
  readonly findings: readonly SecretFinding[]
}

/** Number of checks of a finding: a running service may change secrets during the first ones. */
const CHECKS = 3

/**
 * The log as it is read, and the secrets expected by it.
 *
 * @param isDense whether store positions are consecutive, as in the embedded store
 */
export const followSecrets = (store: EventStore, after: StorePosition, isDense: boolean) => {
  const expected = makeExpectedSecrets()
  const positionOf = makePositionCounter(isDense)
  let last = after
  const read = async function* (): AsyncGenerator<readonly StoredRecord[]> {
    for await (const page of store.records(last)) {
      for (const { storePosition, text } of page) {
        last = storePosition
        expected.add(positionOf(storePosition), text)
      }
      yield page
    }
  }
  return {
    records: read(),
    expected,
    /** Reads newer events. */
    catchUp: async (): Promise<void> => {
      for await (const _ of read());
    },
  }
}

/** The vault's keys as the service would load them. Left: what is wrong. */
export const readRing = async ({
  vaultKeys,
  vaultKeyFile,
}: Pick<Config, 'vaultKeys' | 'vaultKeyFile'>): Promise<
  E.Either<{ code?: string | undefined; why: string }, KeyRing>
> => {
  const where = vaultKeys === undefined ? vaultKeyFile : 'BERTH_VAULT_KEY'
  try {
    const ring = parseVaultKeys(vaultKeys ?? (await readRegularText(vaultKeyFile)))
    return E.mapLeft((problems: readonly string[]) => ({ why: `${where}: ${problems.join('; ')}` }))(ring)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return E.left({ code, why: `${where} cannot be read: ${code}` })
  }
}

/** The configured keys; none if their file does not exist. @throws CommandFailure */
export const readConfiguredKeys = async (
  config: Pick<Config, 'vaultKeys' | 'vaultKeyFile'>,
): Promise<Pick<KeyRing, 'keys'>> => {
  const ring = await readRing(config)
  return E.isLeft(ring) && ring.left.code === 'ENOENT' ? { keys: [] } : orFail(ring)
}

const countBy = (keys: readonly string[], forgotten: ReadonlySet<string>): readonly Unopened[] =>
  [...Map.groupBy(keys, (key) => key)].map(([key, all]) => ({
    key,
    secrets: all.length,
    is_forgotten: forgotten.has(key),
  }))

/** Compares the vault with the log. @throws StoreUnavailable */
export const verifyVault = async (
  store: EventStore,
  ring: Pick<KeyRing, 'keys'>,
  { expected, catchUp }: ReturnType<typeof followSecrets>,
): Promise<VerifiedVault> => {
  const checked = new Map<string, CheckedOwner>()
  const check = async (owners: Iterable<string>): Promise<readonly string[]> => {
    const isKnownKey = await readKnownKeys(store, ring, expected)
    for (const owner of owners) {
      checked.set(owner, await checkOwner(store, ring, isKnownKey, owner, expected.owners.get(owner)))
    }
    return [...checked].filter(([, { findings }]) => findings.length > 0).map(([owner]) => owner)
  }
  const keyIds = new Set([...(await readKnownKeyIds(store)), ...ring.keys.map(({ id }) => id), AUDIT_KEY_ID])
  const unknown = (await findUnknownOwners(store, keyIds, expected)).filter((owner) => owner !== AUDIT_OWNER)
  let found = await check([...expected.owners.keys(), ...unknown])
  for (let n = 1; n < CHECKS && found.length > 0; n++) {
    await catchUp()
    found = await check(found)
  }
  const all = [...checked.values()]
  return {
    secrets: [...expected.owners.values()].reduce((sum, fields) => sum + fields.size, 0),
    opened: all.reduce((sum, { opened }) => sum + opened, 0),
    unopened: countBy(
      all.flatMap(({ unopened }) => unopened),
      expected.forgotten,
    ),
    findings: all.flatMap(({ findings }) => findings),
  }
}

/** What was not checked, as sentences. */
export const notChecked = (vault: VerifiedVault | undefined, config: Config): readonly string[] => {
  if (vault === undefined) return ['the secrets in the vault (use --vault)']
  const where = config.vaultKeys === undefined ? config.vaultKeyFile : 'BERTH_VAULT_KEY'
  return vault.unopened.map(({ key, secrets, is_forgotten }) => {
    const why = is_forgotten ? 'was lost and forgotten' : `is not in ${where}`
    return `${secrets} secrets, as their key ${JSON.stringify(key)} ${why}`
  })
}
