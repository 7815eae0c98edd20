import { existsSync } from 'node:fs'
import { type KeyPlace, type KeyRing, readKeyRing } from '../../vault/keys.ts'
import { orFail } from '../terminal/command.ts'

/** The configured keys; none if their file does not exist. @throws CommandFailure */
export const readConfiguredKeys = async (place: KeyPlace): Promise<Pick<KeyRing, 'keys'>> =>
  place.vaultKeys === undefined && !existsSync(place.vaultKeyFile) ? { keys: [] } : orFail(await readKeyRing(place))
