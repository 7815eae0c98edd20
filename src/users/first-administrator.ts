import { writeFile } from 'node:fs/promises'

/** Name of the administrator created at the first start. */
export const FIRST_NAME = 'admin'

export interface FirstAdministrator {
  readonly name: string
  /** Absent if the password was configured. */
  readonly password?: string
}

/** Writes the password to a file readable only by its owner, for a service without a terminal. */
export const writePasswordFile = (file: string, { name, password }: FirstAdministrator): Promise<void> =>
  writeFile(file, `${name}\n${password}\n`, { mode: 0o600, flag: 'wx' })
