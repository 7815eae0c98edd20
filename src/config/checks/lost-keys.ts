import { formatKeyId } from '../../audit/audit-key.ts'
import type { Verifier } from '../../audit/signed-note.ts'
import { backupIn, findBackups } from '../../backup/find-backups.ts'

/** What backups reveal about a missing key. Backups contain no keys, but name the ones they need. */
export interface LostKeys {
  /** The directories of the backups signed with this key. */
  readonly signedBy: (verifier: Verifier) => Promise<readonly string[]>
  /** The signer of the backup that the data directory was restored from, if any. */
  readonly lastSigner: () => Promise<string | undefined>
  /** How to continue without a missing vault key. */
  readonly remedyFor: (vaultKey: string) => Promise<string>
}

/** The key id of a signature line, in the format of `formatKeyId`. */
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
    const where = listed === '' ? 'is in no backup' : `is in no backup, although ${listed} needs it`
    return `the key ${JSON.stringify(vaultKey)} ${where}; restore it, or, if it is lost for good, give up its secrets with: berth vault forget ${vaultKey}`
  },
})
