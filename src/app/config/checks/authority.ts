import { X509Certificate } from 'node:crypto'
import { readRegularFile } from '../../../files/read-regular-file.ts'

/** Why the file of trusted authorities cannot be used, if there is one that cannot. */
export const authorityProblems = async (caFile: string | undefined): Promise<readonly string[]> => {
  if (caFile === undefined) return []
  try {
    new X509Certificate(await readRegularFile(caFile))
    return []
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const isSystem = /^E[A-Z]+$/.test(String(code))
    const why = isSystem ? `cannot be read: ${message.split(',')[0]}` : 'contains no PEM certificate'
    return [`BERTH_EVENT_STORE: the tlsCAFile ${caFile} ${why}`]
  }
}
