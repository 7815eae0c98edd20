import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Quota, Role } from '../domain/events/user.ts'

/** Name of the administrator created at the first start. */
export const FIRST_NAME = 'admin'

/** A user of a log that had none. */
export interface FirstUser {
  readonly _id: string
  readonly name: string
  readonly role: Role
  /** The hash of the password in PHC string format. */
  readonly password: string
  readonly quota?: Quota
}

export interface FirstAdministrator {
  readonly name: string
  /** Absent if the password was configured. */
  readonly password?: string
}

/**
 * Writes the password to a new file readable only by its owner, for a service without a terminal. Returns its path. In
 * a container every start has the same process id, so the name is random.
 */
export const writePasswordFile = async (data: string, { name, password }: FirstAdministrator): Promise<string> => {
  const file = join(data, `first-password-${randomUUID()}.txt`)
  await writeFile(file, `${name}\n${password}\n`, { mode: 0o600, flag: 'wx' })
  return file
}
