import type { Users } from '../users/users.ts'

/** Passwords decrypted in one turn of the event loop: 3 ms. */
const BATCH_SIZE = 200

/**
 * Decrypts the passwords of all users soon after a start, in turns. Otherwise the first attempt with an unknown name
 * would decrypt them all at once, to take as long as the costliest of them. Returns the function that stops it.
 */
export const openPasswords = (users: Pick<Users, 'list' | 'credentialOf'>): (() => void) => {
  const all = users.list()
  let next: NodeJS.Immediate | undefined
  const open = (from: number): void => {
    for (const { name } of all.slice(from, from + BATCH_SIZE)) void users.credentialOf(name)?.hash
    next = from + BATCH_SIZE < all.length ? setImmediate(open, from + BATCH_SIZE) : undefined
  }
  next = setImmediate(open, 0)
  return () => clearImmediate(next)
}
