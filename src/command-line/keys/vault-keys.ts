import * as E from 'fp-ts/lib/Either.js'
import type { Config } from '../../app/config/config.ts'
import { readRegularText } from '../../files/read-regular-file.ts'
import { type KeyRing, parseVaultKeys } from '../../vault/keys.ts'
import { orFail } from '../terminal/command.ts'

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
