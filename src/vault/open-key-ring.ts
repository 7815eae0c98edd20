import * as E from 'fp-ts/lib/Either.js'
import { type KeyRing, parseVaultKeys, readOrMakeVaultKeyFile } from './keys.ts'
import { readKnownKeyIds, type SecretStore } from './vault.ts'

export interface KeyPlace {
  /** The keys themselves, if configured directly. */
  readonly vaultKeys?: string
  readonly vaultKeyFile: string
}

export interface KeyRuntime {
  readonly clock: () => number
  readonly randomBytes: (size: number) => Uint8Array
  readonly log: Record<'info' | 'warn' | 'error', (facts: object, sentence: string) => void>
}

/** Opens the key ring from the configuration or the key file. A file is created only for a log that has used no key. */
export const openKeyRing = async (
  where: KeyPlace,
  { clock, randomBytes, log }: KeyRuntime,
  store: SecretStore,
  mayMake: boolean,
): Promise<E.Either<readonly string[], KeyRing>> => {
  if (where.vaultKeys !== undefined) {
    const inVariable = E.mapLeft((problems: readonly string[]) => problems.map((text) => `BERTH_VAULT_KEY: ${text}`))
    return inVariable(parseVaultKeys(where.vaultKeys))
  }
  const file = where.vaultKeyFile
  const known = await readKnownKeyIds(store)
  const read = await readOrMakeVaultKeyFile(file, { mayMake: mayMake && known.length === 0, now: clock(), randomBytes })
  if (E.isLeft(read)) {
    return E.left([
      ...read.left,
      ...known.map((id) => `secrets in the store were sealed with the key ${JSON.stringify(id)}`),
    ])
  }
  const { ring, made, warnings } = read.right
  if (made) log.info({ file }, 'created the vault key; keep a copy elsewhere')
  for (const problem of warnings) log.warn({ problem }, 'the vault key is not private')
  return E.right(ring)
}
