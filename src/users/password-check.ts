import { hash as digest } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { makeTurns } from '../concurrency/turns.ts'
import type { User } from '../domain/user/user.ts'
import { foldName } from '../domain/values/user-name.ts'
import type { BasicCredentials } from './basic.ts'
import type { CatchUpUsers } from './catch-up.ts'
import type { Credential } from './load-users.ts'
import { HASH_COST, type PasswordHash, SALT_BYTES, verifyPassword } from './passwords/password.ts'
import type { Users } from './users.ts'

export interface PasswordCheckOptions {
  readonly users: Pick<Users, 'credentialOf' | 'isCurrent' | 'list'>
  /** Reads what other instances have recorded of users and tokens, before a credential is refused. */
  readonly catchUp: CatchUpUsers
  readonly randomBytes: (size: number) => Uint8Array
  readonly verify?: typeof verifyPassword
  readonly limits?: Partial<typeof LIMITS>
  /** Verified credentials to remember: 65,536 unless given. */
  readonly rememberedMax?: number
}

/** The user whom credentials belong to; `full` if there was no room for a check. */
export type CheckedPassword = User | 'wrong' | 'full'

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

/** Verifies passwords. For a name that nobody has it verifies a decoy, so that its refusal takes as long. */
const makeVerification = (options: PasswordCheckOptions) => {
  const { users, catchUp, verify = verifyPassword } = options
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
      caughtUp ??= catchUp()
      await caughtUp
      if (isUnchanged()) return 'wrong'
    }
  }
}

/**
 * One for each user, and for each spelling of a name that is the same user's; about 300 bytes each. Each was verified, so
 * only users can push out others, at the cost of one check each; these are then verified again.
 */
const REMEMBERED_MAX = 65_536

/** Checks passwords. Credentials that have been verified, or are being verified, need no further check. */
export const makePasswordCheck = (options: PasswordCheckOptions) => {
  // Credentials themselves are not kept: only digests, keyed with a secret of this process.
  const secret = Buffer.from(options.randomBytes(32)).toString('hex')
  const digestOf = (header: string): string => digest('sha256', secret + header, 'hex')
  const { users, rememberedMax = REMEMBERED_MAX } = options
  const verifiedBefore = new LRUCache<string, Credential>({ maxSize: rememberedMax, sizeCalculation: () => 1 })
  /** In the order of their verification: moving one at each request would cost every request. */
  const remembered = (digest: string): User | undefined => {
    const credential = verifiedBefore.peek(digest)
    return credential !== undefined && users.isCurrent(credential) ? credential.user : undefined
  }
  const verified = makeVerification(options)
  const underWay = new Map<string, Promise<CheckedPassword>>()
  return {
    /** The user of a header that has been verified. */
    remembered: (header: string): User | undefined => remembered(digestOf(header)),
    /** The user of credentials that have been verified, or what becomes of their check under way. */
    known: ({ canonical }: BasicCredentials): User | Promise<CheckedPassword> | undefined =>
      remembered(digestOf(canonical)) ?? underWay.get(digestOf(canonical)),
    /** Checks credentials, those of lower ranks first. Rejects only if hashing itself fails. */
    check: (credentials: BasicCredentials, rank: number): Promise<CheckedPassword> => {
      const key = digestOf(credentials.canonical)
      const check = async (): Promise<CheckedPassword> => {
        const credential = await verified(credentials, rank)
        if (typeof credential === 'string') return credential
        verifiedBefore.set(key, credential)
        return credential.user
      }
      const checking = check().finally(() => underWay.delete(key))
      underWay.set(key, checking)
      return checking
    },
  }
}
