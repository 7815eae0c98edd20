import { formatKeyId } from '../../audit/audit-key.ts'
import type { Verifier } from '../../audit/signed-note.ts'
import { backupIn, findBackups } from '../../backup/find-backups.ts'

/** What can be said of a key that is not there. No backup holds keys, but each says which ones it needs. */
export interface LostKeys {
  /** Directories of backups that the holder of a key has signed. */
  readonly signedBy: (verifier: Verifier) => Promise<readonly string[]>
  /** Who signed the backup that the data directory was put back from, if it was. */
  readonly lastSigner: () => Promise<string | undefined>
  /** How to go on where a key of the vault is missing. */
  readonly remedyFor: (vaultKey: string) => Promise<string>
}

/** The id that a signature line of a note begins with, as `idOf` writes it. */
const signerOf = (line: string): string => {
  const [, name = '', encoded = ''] = line.split(' ')
  return `${name}+${Buffer.from(encoded, 'base64').subarray(0, 4).toString('hex')}`
}

export const makeLostKeys = (data: string, logId: string): LostKeys => ({
  signedBy: async (verifier) => {
    const found = await findBackups(data, logId)
    return found
      .filter(({ signatures }) => signatures.some((line) => signerOf(line) === formatKeyId(verifier)))
      .map(({ directory }) => directory)
  },
  lastSigner: async () => {
    const [restored] = await backupIn(data, logId)
    const [line] = restored?.signatures ?? []
    return line === undefined ? undefined : signerOf(line)
  },
  remedyFor: async (vaultKey) => {
    const backups = (await findBackups(data, logId)).filter(({ vault_keys }) => vault_keys.includes(vaultKey))
    const listed = backups.map(({ directory }) => directory).join(', ')
    const where = listed === '' ? 'is in no backup' : `is in no backup, though listed in ${listed}`
    return `the key ${JSON.stringify(vaultKey)} ${where}; put it back, or, if it is lost for good, go on without it: berth vault forget ${vaultKey}`
  },
})
