import { hash, timingSafeEqual } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import { type BasicCredentials, parseBasic } from './basic.ts'
import { type FairQueueLimits, makeFairQueue } from './fair-queue.ts'
import { HASH_COST, type PasswordHash, SALT_BYTES, verifyPassword } from './password.ts'
import type { Credential, Users } from './users.ts'
import type { User } from './users-file.ts'

/** Whom a request comes from, or why that is not known. All but `user` and `overloaded` are 401. */
export type Authentication =
  | { readonly kind: 'user'; readonly user: User }
  /** No Authorization header. */
  | { readonly kind: 'none' }
  /** `detail` finishes "the Authorization header ...". */
  | { readonly kind: 'malformed'; readonly detail: string }
  /** The name is unknown or the password is not its own: nobody is told which. */
  | { readonly kind: 'wrong'; readonly name: string }
  /** `mayTry` said no. */
  | { readonly kind: 'barred'; readonly name: string }
  /** Too many passwords are being checked. */
  | { readonly kind: 'overloaded' }

export interface Authenticator {
  /**
   * Answers at once for credentials that were verified before and still hold, and together with those that are being
   * verified already. Others are asked about by `mayTry` (which can bound the attempts of an address with a name) and
   * then verified, each `from` in its turn. Rejects only when hashing itself fails.
   */
  readonly authenticate: (
    header: string | undefined,
    mayTry?: (name: string) => boolean,
    from?: () => string,
  ) => Authentication | Promise<Authentication>
}

interface AuthenticatorOptions {
  readonly users: Pick<Users, 'credentialOf' | 'list'>
  readonly randomBytes: (size: number) => Uint8Array
  readonly verify?: (hash: PasswordHash, password: string) => Promise<boolean>
  readonly limits?: FairQueueLimits
}

// Two checks of 40 ms at once leave a core to the service, and the last in the longest queue waits 4 s.
const LIMITS: FairQueueLimits = { runningMax: 2, waitingOfKeyMax: 8, waitingMax: 200 }

const NONE: Authentication = { kind: 'none' }
const OVERLOADED: Authentication = { kind: 'overloaded' }

interface Remembered {
  readonly digest: Uint8Array
  readonly credential: Credential
  readonly answer: Authentication
}

/** The part of a digest by which it is found; the rest is compared in constant time. */
const slotOf = (digest: string): string => digest.slice(0, 16)

/** What verified credentials are remembered by: digests under a key of this process, never the credentials. */
const makeMemory = (users: AuthenticatorOptions['users']) => {
  const remembered = new Map<string, Remembered>()
  const scratch = Buffer.alloc(64)
  const holds = ({ credential }: Remembered): boolean => users.credentialOf(credential.user.name) === credential
  return {
    recall: (digest: string): Authentication | undefined => {
      const found = remembered.get(slotOf(digest))
      if (found === undefined) return undefined
      scratch.write(digest, 'latin1')
      return timingSafeEqual(scratch, found.digest) && holds(found) ? found.answer : undefined
    },
    remember: (digest: string, credential: Credential): Authentication => {
      for (const [slot, old] of remembered) if (!holds(old)) remembered.delete(slot)
      const answer: Authentication = { kind: 'user', user: credential.user }
      remembered.set(slotOf(digest), { digest: Buffer.from(digest, 'latin1'), credential, answer })
      return answer
    },
  }
}

export const makeAuthenticator = ({
  users,
  randomBytes,
  verify = verifyPassword,
  limits = LIMITS,
}: AuthenticatorOptions): Authenticator => {
  const secret = Buffer.from(randomBytes(32)).toString('hex')
  const digestOf = (header: string): string => hash('sha256', secret + header, 'hex')
  const memory = makeMemory(users)
  const queue = makeFairQueue(limits)
  const underWay = new Map<string, Promise<Authentication>>()
  const decoy = { salt: randomBytes(SALT_BYTES), tag: new Uint8Array(32) }

  /** What a name that nobody has is checked against: at the cost of one of the users, so that time tells nothing. */
  const decoyFor = (name: string): PasswordHash => {
    const all = users.list()
    const like = all[Number.parseInt(digestOf(name).slice(0, 8), 16) % all.length]
    const { memory, passes, parallelism } = (like && users.credentialOf(like.name)?.hash) ?? HASH_COST
    return { ...decoy, memory, passes, parallelism }
  }

  const check = async ({ name, password }: BasicCredentials, digest: string, turn: string): Promise<Authentication> => {
    for (;;) {
      const credential = users.credentialOf(name)
      const fits = await queue.run(turn, () => verify(credential?.hash ?? decoyFor(name), password))
      if (fits === 'full') return OVERLOADED
      // Whatever came out was about a password that has changed meanwhile.
      if (users.credentialOf(name) !== credential) continue
      return fits && credential !== undefined ? memory.remember(digest, credential) : { kind: 'wrong', name }
    }
  }

  const begin = (credentials: BasicCredentials, digest: string, from: string): Promise<Authentication> => {
    const checking = check(credentials, digest, `${credentials.name}\n${from}`).finally(() => underWay.delete(digest))
    underWay.set(digest, checking)
    return checking
  }

  return {
    authenticate: (header, mayTry = () => true, from = () => '') => {
      if (header === undefined) return NONE
      const known = memory.recall(digestOf(header))
      if (known !== undefined) return known
      const read = parseBasic(header)
      if (E.isLeft(read)) return { kind: 'malformed', detail: read.left }
      const { name, canonical } = read.right
      const digest = digestOf(canonical)
      const inOtherSpelling = canonical === header ? undefined : memory.recall(digest)
      if (inOtherSpelling !== undefined) return inOtherSpelling
      const already = underWay.get(digest)
      if (already !== undefined) return already
      return mayTry(name) ? begin(read.right, digest, from()) : { kind: 'barred', name }
    },
  }
}
