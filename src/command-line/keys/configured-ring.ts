import * as E from 'fp-ts/lib/Either.js'
import type { Config } from '../../app/config/config.ts'
import { readRegularText } from '../../files/read-regular-file.ts'
import { type KeyRing, parseVaultKeys } from '../../vault/keys.ts'

/** The vault's keys as the service would load them. Left: a sentence that says where they are and what is wrong. */
export const configuredRing = async (
  config: Pick<Config, 'vaultKeys' | 'vaultKeyFile'>,
): Promise<E.Either<string, KeyRing>> => {
  const where = config.vaultKeys === undefined ? config.vaultKeyFile : 'BERTH_VAULT_KEY'
  try {
    const ring = parseVaultKeys(config.vaultKeys ?? (await readRegularText(config.vaultKeyFile)))
    return E.mapLeft((problems: readonly string[]) => `${where}: ${problems.join('; ')}`)(ring)
  } catch (error) {
    return E.left(`${where} cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}
