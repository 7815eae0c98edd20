import { hash as digest } from 'node:crypto'
import { makeTurns } from '../concurrency/turns.ts'
import { foldName } from '../domain/values/user-name.ts'
import type { BasicCredentials } from './basic.ts'
import type { CatchUpUsers } from './catch-up.ts'
import type { Credential } from './load-users.ts'
import { HASH_COST, type PasswordHash, SALT_BYTES, verifyPassword } from './passwords/password.ts'
import type { Users } from './users.ts'

export interface PasswordCheckOptions {
  readonly users: Pick<Users, 'credentialOf' | 'list'>
  /** Reads what other instances have recorded of names and passwords. */
  readonly catchUpNames: CatchUpUsers
  readonly randomBytes: (size: number) => Uint8Array
  readonly verify?: typeof verifyPassword
  readonly limits?: Partial<typeof LIMITS>
}

const LIMITS = {
  /** Checks at a time. */
  runningMax: 2,
  /** Checks that wait. */
  waitingMax: 200,
  /** Milliseconds for which one waits. */
  timeoutMs: 5_000,
  /** After a failed check its slot rests for so many times the CPU time that it took: half a core in total. */
  rest: 3,
}

const SLOTS = 'slots'

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
  const { users, catchUpNames, verify = verifyPassword } = options
  const { runningMax, waitingMax, timeoutMs, rest } = { ...LIMITS, ...options.limits }
  const turns = makeTurns({ limit: runningMax, waitingMax: () => waitingMax })
  const decoyFor = makeDecoys(options)

  const checkHash = async (hash: PasswordHash, password: string, rank: number): Promise<boolean | 'full'> => {
    const turn = turns.acquire(SLOTS, { rank, timeoutMs })
    if (turn !== undefined && !(await turn)) return 'full'
    let pause = 0
    try {
      const { fits, cpu } = await verify(hash, password)
      if (!fits) pause = cpu * rest
      return fits
    } finally {
      turns.release(SLOTS, pause)
    }
  }

  /** The user of the credentials; `full` if there is no room for a check, those of lower ranks coming first. */
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
