import * as E from 'fp-ts/lib/Either.js'
import type { EventStore } from '../event-store/event-store.ts'
import { modeWarnings } from '../files/private-file.ts'
import { keepVault, type VaultKeeping } from './keep-vault.ts'
import { type KeyPlace, type KeyRing, makeKeyFile, readKeyRing } from './keys.ts'
import { makeVault, readKnownKeyIds } from './vault.ts'

interface OpenOptions extends KeyPlace, Omit<VaultKeeping, 'file' | 'store' | 'vault' | 'times'> {
  readonly store: EventStore
  /** Whether to create a key for a log that has used none. */
  readonly mayMake: boolean
}

/** Creates the key file of a log that has used no key, and warns of one that others can read. */
const prepareKeyFile = async (options: OpenOptions, mayMake: boolean): Promise<void> => {
  const { vaultKeys, vaultKeyFile: file, clock, randomBytes, log } = options
  if (vaultKeys !== undefined) return
  if (mayMake && (await makeKeyFile(file, { now: clock(), randomBytes })))
    log.info({ file }, 'created the vault key; keep a copy elsewhere')
  // One that is missing is refused when it is read.
  for (const problem of await modeWarnings(file).catch(() => [])) log.warn({ problem }, 'the vault key is not private')
}

/** How to continue without a missing key. */
const remedyFor = (keyId: string): string =>
  `no backup has the key ${JSON.stringify(keyId)}; restore it, or, if it is lost for good, give up its secrets with: berth vault forget ${keyId}`

/**
 * Opens the vault of a running service, which follows its key file and re-encrypts secrets sealed with old keys. Left:
 * every problem with the keys, in which case nothing may be sealed.
 */
export const openVault = async (options: OpenOptions) => {
  const { store, clock, randomBytes, vaultKeys, vaultKeyFile } = options
  const known = await readKnownKeyIds(store)
  const explained = (problems: readonly string[], ring?: KeyRing): E.Either<readonly string[], never> => {
    const missing = known.filter((id) => !ring?.keys.some((key) => key.id === id))
    return E.left([...problems, ...missing.map(remedyFor)])
  }
  await prepareKeyFile(options, options.mayMake && known.length === 0)
  const keys = await readKeyRing(options)
  const used = known.map((id) => `secrets in the store were sealed with the key ${JSON.stringify(id)}`)
  if (E.isLeft(keys)) return explained([...keys.left, ...used])
  const vault = makeVault({ store, keys: keys.right, clock, randomBytes })
  const checked = await vault.check()
  if (E.isLeft(checked)) return explained(checked.left, keys.right)
  const file = vaultKeys === undefined ? vaultKeyFile : undefined
  return E.right({ vault, close: keepVault({ ...options, file, vault }) })
}
