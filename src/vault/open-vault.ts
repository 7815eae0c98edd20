import * as E from 'fp-ts/lib/Either.js'
import type { EventStore } from '../event-store/event-store.ts'
import type { Alarms } from '../telemetry/alarms.ts'
import { keepVault } from './keep-vault.ts'
import { type KeyRing, readOrMakeVaultKeyFile } from './keys.ts'
import { makeVault, readKnownKeyIds, type Vault, type VaultStore } from './vault.ts'

interface KeyPlace {
  /** The keys themselves, if configured directly. */
  readonly vaultKeys: KeyRing | undefined
  readonly vaultKeyFile: string
}

interface KeyRuntime {
  readonly clock: () => number
  readonly randomBytes: (size: number) => Uint8Array
  readonly log: Record<'info' | 'warn' | 'error', (facts: object, sentence: string) => void>
}

/** Opens the key ring from the configuration or the key file. A file is created only for a log that has used no key. */
const openKeyRing = async (
  where: KeyPlace,
  { clock, randomBytes, log }: KeyRuntime,
  store: VaultStore,
  mayMake: boolean,
): Promise<E.Either<readonly string[], KeyRing>> => {
  if (where.vaultKeys !== undefined) return E.right(where.vaultKeys)
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

/** The vault of a running service: follows its key file and re-encrypts secrets sealed with old keys. */
interface OpenVault {
  readonly vault: Vault
  readonly close: () => Promise<void>
}

interface OpenOptions {
  /** Whether to create a key for a log that has used none. */
  readonly mayMake: boolean
  readonly alarms: Pick<Alarms, 'raise' | 'clear'>
  /** Suggests a remedy for a missing key, in a sentence. */
  readonly remedyFor: (keyId: string) => Promise<string>
}

/** Left: every problem with the keys, in which case nothing may be sealed. */
export const openVault = async (
  where: KeyPlace,
  runtime: KeyRuntime,
  store: EventStore,
  options: OpenOptions,
): Promise<E.Either<readonly string[], OpenVault>> => {
  const { clock, randomBytes } = runtime
  const { mayMake, remedyFor } = options
  const explained = async (
    problems: readonly string[],
    ring?: KeyRing,
  ): Promise<E.Either<readonly string[], never>> => {
    const missing = (await readKnownKeyIds(store)).filter((id) => !ring?.keys.some((key) => key.id === id))
    return E.left([...problems, ...(await Promise.all(missing.map(remedyFor)))])
  }
  const keys = await openKeyRing(where, runtime, store, mayMake)
  if (E.isLeft(keys)) return explained(keys.left)
  const vault = makeVault({ store, keys: keys.right, clock, randomBytes })
  const checked = await vault.check()
  if (E.isLeft(checked)) return explained(checked.left, keys.right)
  const file = where.vaultKeys === undefined ? where.vaultKeyFile : undefined
  return E.right({ vault, close: keepVault({ ...runtime, file, store, vault, alarms: options.alarms }) })
}
