import type { Users } from '../../users/users.ts'

/** Passwords decrypted in one turn of the event loop: 3 ms. */
const A_TURN = 200

/**
 * Decrypts the passwords of all users soon after a start, in turns. Otherwise the first attempt with an unknown name
 * would decrypt them all at once, to take as long as the costliest of them. Returns the function that stops it.
 */
export const openPasswords = (users: Pick<Users, 'list' | 'credentialOf'>): (() => void) => {
  const all = users.list()
  let next: NodeJS.Immediate | undefined
  const open = (from: number): void => {
    for (const { name } of all.slice(from, from + A_TURN)) void users.credentialOf(name)?.hash
    next = from + A_TURN < all.length ? setImmediate(open, from + A_TURN) : undefined
  }
  next = setImmediate(open, 0)
  return () => clearImmediate(next)
}
