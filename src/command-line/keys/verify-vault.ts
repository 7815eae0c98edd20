import { readFile } from 'node:fs/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { EventStore, StoredRecord } from '../../event-store/event-store.ts'
import type { Config } from '../../service/config/config.ts'
import { type CheckedSut, checkSut, findUnknownOwners, type SecretFinding } from '../../vault/check-secrets.ts'
import { type ExpectedSecrets, makeExpectedSecrets } from '../../vault/expected-secrets.ts'
import { type KeyRing, parseVaultKeys } from '../../vault/keys.ts'
import { readKnownKeyIds } from '../../vault/vault.ts'

/** Secrets whose key is not at hand; lost for good, where it was forgotten. */
interface Unopened {
  readonly key: string
  readonly secrets: number
  readonly is_forgotten: boolean
}

/** What `verify --vault` found. */
export interface VerifiedVault {
  /** Secrets that stand, as the log says. */
  readonly secrets: number
  /** Those that were opened. */
  readonly opened: number
  /** Those whose keys are not at hand: there, as far as their ids tell. */
  readonly unopened: readonly Unopened[]
  readonly findings: readonly SecretFinding[]
}

/** How often something must have been found beside a running service, which changes secrets meanwhile. */
const LOOKS = 3

/** The log while it is read, and what it says of secrets. */
export interface Followed {
  readonly records: AsyncIterable<readonly StoredRecord[]>
  readonly standing: ExpectedSecrets
  /** Reads what has come since. */
  readonly catchUp: () => Promise<void>
}

/** @param isDense whether marks are positions, as in the embedded store */
export const followSecrets = (store: EventStore, after: number, isDense: boolean): Followed => {
  const standing = makeExpectedSecrets()
  let [position, last] = [-1, after]
  const read = async function* () {
    for await (const page of store.records(last)) {
      for (const { mark, text } of page) {
        position = isDense ? mark : position + 1
        last = mark
        standing.add(position, text)
      }
      yield page
    }
  }
  return {
    records: read(),
    standing,
    catchUp: async () => {
      for await (const _ of read());
    },
  }
}

/** The keys that are configured; none where their file does not exist. Left: why they cannot be read. */
export const ringAtHand = async ({
  vaultKeys,
  vaultKeyFile,
}: Pick<Config, 'vaultKeys' | 'vaultKeyFile'>): Promise<E.Either<string, Pick<KeyRing, 'keys'>>> => {
  const said = (problems: readonly string[]) => `the vault's keys: ${problems.join('; ')}`
  if (vaultKeys !== undefined) return E.mapLeft(said)(parseVaultKeys(vaultKeys))
  try {
    return E.mapLeft(said)(parseVaultKeys(await readFile(vaultKeyFile, 'utf8')))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return E.right({ keys: [] })
    return E.left(`the vault's keys cannot be read from ${vaultKeyFile}: ${message.split(',')[0]}`)
  }
}

const countBy = (keys: readonly string[], forgotten: ReadonlySet<string>): readonly Unopened[] =>
  [...Map.groupBy(keys, (key) => key)].map(([key, all]) => ({
    key,
    secrets: all.length,
    is_forgotten: forgotten.has(key),
  }))

/** Compares the vault with what the log says of it. @throws StoreUnavailable */
export const verifyVault = async (
  store: EventStore,
  ring: Pick<KeyRing, 'keys'>,
  { standing, catchUp }: Followed,
): Promise<VerifiedVault> => {
  const checked = new Map<string, CheckedSut>()
  const check = async (suts: Iterable<string>): Promise<readonly string[]> => {
    for (const sutId of suts) checked.set(sutId, await checkSut(store, ring, sutId, standing.suts.get(sutId)))
    return [...checked].filter(([, { findings }]) => findings.length > 0).map(([sutId]) => sutId)
  }
  const keyIds = new Set([...(await readKnownKeyIds(store)), ...ring.keys.map(({ id }) => id)])
  let found = await check([...standing.suts.keys(), ...(await findUnknownOwners(store, keyIds, standing))])
  for (let look = 1; look < LOOKS && found.length > 0; look++) {
    await catchUp()
    found = await check(found)
  }
  const all = [...checked.values()]
  return {
    secrets: [...standing.suts.values()].reduce((sum, fields) => sum + fields.size, 0),
    opened: all.reduce((sum, { opened }) => sum + opened, 0),
    unopened: countBy(
      all.flatMap(({ unopened }) => unopened),
      standing.forgotten,
    ),
    findings: all.flatMap(({ findings }) => findings),
  }
}

/** What was not checked, in sentences. */
export const notChecked = (vault: VerifiedVault | undefined, config: Config): readonly string[] => {
  if (vault === undefined) return ['the secrets in the vault, which --vault looks at']
  const where = config.vaultKeys === undefined ? config.vaultKeyFile : 'BERTH_VAULT_KEY'
  return vault.unopened.map(({ key, secrets, is_forgotten }) => {
    const why = is_forgotten ? 'was lost and forgotten' : `is not in ${where}`
    return `whether ${secrets} secrets open, whose key ${JSON.stringify(key)} ${why}`
  })
}
