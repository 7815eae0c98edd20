import { existsSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import type { Config } from '../../app/config/config.ts'
import { type KeyRing, readVaultKeyFile } from '../../vault/keys.ts'
import { orFail } from '../terminal/command.ts'

type Where = Pick<Config, 'vaultKeys' | 'vaultKeyFile'>

/** The vault's keys as the service would load them. Left: what is wrong, as sentences. */
export const readRing = async ({ vaultKeys, vaultKeyFile }: Where): Promise<E.Either<readonly string[], KeyRing>> =>
  vaultKeys === undefined ? readVaultKeyFile(vaultKeyFile) : E.right(vaultKeys)

/** The configured keys; none if their file does not exist. @throws CommandFailure */
export const readConfiguredKeys = async (where: Where): Promise<Pick<KeyRing, 'keys'>> =>
  where.vaultKeys === undefined && !existsSync(where.vaultKeyFile) ? { keys: [] } : orFail(await readRing(where))
