import { THREADS_MAX } from '../../users/passwords/argon2.ts'
import { hashPassword, makePassword, PASSWORD_RANDOM_BYTES, SALT_BYTES } from '../../users/passwords/password.ts'
import type { Terminal } from '../terminal/command.ts'
import { makeProgress } from '../terminal/progress.ts'

export interface MadePassword {
  readonly password: string
  readonly hash?: string
}

/** Makes passwords and, if asked, their hashes. Each hash takes about 40 ms, so that the progress is shown. */
export const makePasswords = async (
  count: number,
  terminal: Terminal,
  isHashed: boolean,
): Promise<readonly MadePassword[]> => {
  const { randomBytes } = terminal
  const make = () => makePassword(randomBytes(PASSWORD_RANDOM_BYTES))
  if (!isHashed) return Array.from({ length: count }, () => ({ password: make() }))
  const progress = makeProgress(terminal, { what: 'passwords', isLogged: true })
  const made: MadePassword[] = []
  while (made.length < count) {
    const now = Math.min(THREADS_MAX, count - made.length)
    const passwords = Array.from({ length: now }, make)
    const hashes = passwords.map(async (password) => ({
      password,
      hash: await hashPassword(password, randomBytes(SALT_BYTES)),
    }))
    made.push(...(await Promise.all(hashes)))
    progress.show(made.length, count)
  }
  progress.end()
  return made
}
