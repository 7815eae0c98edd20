import type { RandomHex } from '../domain/values/ids.ts'

/** Bytes. */
const POOL = 16_384

/** Random hex from a pool: asking the system for each id costs several times more. */
export const pooledHex = (randomBytes: (size: number) => Uint8Array): RandomHex => {
  let pool = ''
  let used = 0
  return (bytes) => {
    if (used + 2 * bytes > pool.length) {
      pool = Buffer.from(randomBytes(Math.max(POOL, bytes))).toString('hex')
      used = 0
    }
    used += 2 * bytes
    return pool.slice(used - 2 * bytes, used)
  }
}
