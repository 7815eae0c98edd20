import { setTimeout as delay } from 'node:timers/promises'
import type { BasicCredentials } from './basic.ts'
import type { CatchUpUsers } from './catch-up.ts'
import type { Credential } from './load-users.ts'
import type { HashCost } from './passwords/argon2.ts'
import { type FairQueueLimits, makeFairQueue } from './passwords/fair-queue.ts'
import { HASH_COST, type PasswordHash, SALT_BYTES, verifyPassword } from './passwords/password.ts'
import { makeRefusalTiming } from './passwords/refusal-timing.ts'
import type { Users } from './users.ts'

export interface PasswordCheckOptions {
  readonly users: Pick<Users, 'credentialOf' | 'list'>
  /** Reads what other instances have recorded of names and passwords. */
  readonly catchUpNames: CatchUpUsers
  readonly randomBytes: (size: number) => Uint8Array
  readonly verify?: typeof verifyPassword
  readonly limits?: FairQueueLimits
  /** Waits for so many milliseconds. */
  readonly wait?: (milliseconds: number) => Promise<unknown>
}

// Two checks at a time. After a failed one its slot rests three times as long as the check took CPU time: half a core in
// total.
const LIMITS: FairQueueLimits = { runningMax: 2, rest: 3, waitMax: 2_000, waitingMax: 200 }

/** Cost of a password check, in KiB times passes. */
const totalCost = ({ memory, passes }: HashCost): number => memory * passes

/**
 * Time over which refusals are spread. Timers count whole milliseconds, and what they cut off would differ between a
 * name that was checked and one that was not. Rounding at random keeps the mean the same for both.
 */
const REFUSAL_SPREAD_MS = 4

/**
 * Checks passwords. For unknown names it does no work, apart from an occasional check to measure the current duration.
 * Both kinds of refusal return at the same computed time, so timing does not reveal whether a name exists.
 */
export const makePasswordCheck = (options: PasswordCheckOptions) => {
  const { users, catchUpNames, randomBytes, verify = verifyPassword, limits = LIMITS, wait = delay } = options
  const queue = makeFairQueue(limits)
  const timing = makeRefusalTiming(limits, () => performance.now())
  const decoy = { salt: randomBytes(SALT_BYTES), tag: new Uint8Array(32) }

  /** Uses the highest cost among all users. */
  const decoyHash = (): PasswordHash => {
    const hashes = users.list().flatMap(({ name }) => users.credentialOf(name)?.hash ?? [])
    const { memory, passes, parallelism } = hashes.reduce<HashCost>(
      (most, one) => (totalCost(one) > totalCost(most) ? one : most),
      hashes[0] ?? HASH_COST,
    )
    return { ...decoy, memory, passes, parallelism }
  }

  const checkHash = (hash: PasswordHash, password: string, rank: number): Promise<boolean | 'full'> =>
    queue.run(rank, async () => {
      const began = performance.now()
      const { fits, cpu } = await verify(hash, password)
      timing.record({ took: performance.now() - began, cpu })
      return { result: fits, wasted: fits ? 0 : cpu }
    })

  const rejectUnknown = async (password: string, rank: number): Promise<false | 'full'> => {
    if (!queue.hasRoom(rank)) return 'full'
    if (queue.isIdle() && timing.isStale()) await checkHash(decoyHash(), password, rank)
    return false
  }

  /** The user of the credentials; `full` if there is no room for a check. */
  return async ({ name, password }: BasicCredentials, rank: number): Promise<Credential | 'wrong' | 'full'> => {
    const refusedAt = timing.nextRefusal()
    let caughtUp: Promise<void> | undefined
    for (;;) {
      const credential = users.credentialOf(name)
      const hash = credential?.hash
      const fits = await (hash === undefined ? rejectUnknown(password, rank) : checkHash(hash, password, rank))
      if (fits === 'full') return 'full'
      const isUnchanged = (): boolean => users.credentialOf(name) === credential
      // The password changed during the check, so check again.
      if (!isUnchanged()) continue
      if (fits && credential !== undefined) return credential
      await wait(Math.floor(Math.max(0, refusedAt - performance.now()) + Math.random() * REFUSAL_SPREAD_MS))
      // For known names too, and after the wait, so that both kinds of refusal take equally long.
      caughtUp ??= catchUpNames()
      await caughtUp
      if (isUnchanged()) return 'wrong'
    }
  }
}
