import { hash as digest } from 'node:crypto'
import { foldName } from '../domain/values/user-name.ts'
import type { BasicCredentials } from './basic.ts'
import type { CatchUpUsers } from './catch-up.ts'
import type { Credential } from './load-users.ts'
import { type FairQueueLimits, makeFairQueue } from './passwords/fair-queue.ts'
import { HASH_COST, type PasswordHash, SALT_BYTES, verifyPassword } from './passwords/password.ts'
import type { Users } from './users.ts'

export interface PasswordCheckOptions {
  readonly users: Pick<Users, 'credentialOf' | 'list'>
  /** Reads what other instances have recorded of names and passwords. */
  readonly catchUpNames: CatchUpUsers
  readonly randomBytes: (size: number) => Uint8Array
  readonly verify?: typeof verifyPassword
  readonly limits?: FairQueueLimits
}

// Two checks at a time. After a failed one its slot rests three times as long as the check took CPU time: half a core in
// total.
const LIMITS: FairQueueLimits = { runningMax: 2, rest: 3, waitMax: 2_000, waitingMax: 200 }

/**
 * Makes the hashes that are checked for names that nobody has. Imported hashes differ in their cost. So that the time of
 * a check says nothing, a decoy costs what the hash of some user costs, for one name always the same.
 */
const makeDecoys = ({ users, randomBytes }: PasswordCheckOptions) => {
  const secret = Buffer.from(randomBytes(32)).toString('hex')
  const decoy = { salt: randomBytes(SALT_BYTES), tag: new Uint8Array(32) }
  return (name: string): PasswordHash => {
    const all = users.list()
    const number = Number.parseInt(digest('sha256', secret + foldName(name), 'hex').slice(0, 8), 16)
    const some = users.credentialOf(all[number % all.length]?.name ?? '')
    const { memory, passes, parallelism } = some?.hash ?? HASH_COST
    return { ...decoy, memory, passes, parallelism }
  }
}

/** Checks passwords. For a name that nobody has it checks a decoy, so that its refusal takes as long. */
export const makePasswordCheck = (options: PasswordCheckOptions) => {
  const { users, catchUpNames, verify = verifyPassword, limits = LIMITS } = options
  const queue = makeFairQueue(limits)
  const decoyFor = makeDecoys(options)

  const checkHash = (hash: PasswordHash, password: string, rank: number): Promise<boolean | 'full'> =>
    queue.run(rank, async () => {
      const { fits, cpu } = await verify(hash, password)
      return { result: fits, wasted: fits ? 0 : cpu }
    })

  /** The user of the credentials; `full` if there is no room for a check. */
  return async ({ name, password }: BasicCredentials, rank: number): Promise<Credential | 'wrong' | 'full'> => {
    let caughtUp: Promise<void> | undefined
    for (;;) {
      const credential = users.credentialOf(name)
      const fits = await checkHash(credential?.hash ?? decoyFor(name), password, rank)
      if (fits === 'full') return 'full'
      const isUnchanged = (): boolean => users.credentialOf(name) === credential
      // The password changed during the check, so check again.
      if (!isUnchanged()) continue
      if (fits && credential?.hash !== undefined) return credential
      // For known names too, so that both kinds of refusal take equally long.
      caughtUp ??= catchUpNames()
      await caughtUp
      if (isUnchanged()) return 'wrong'
    }
  }
}
