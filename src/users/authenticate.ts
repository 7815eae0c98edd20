import { hash, timingSafeEqual } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { type BasicCredentials, parseBasic } from './basic.ts'
import { type FairQueueLimits, makeFairQueue } from './fair-queue.ts'
import { HASH_COST, type HashCost, type PasswordHash, SALT_BYTES, verifyPassword } from './password.ts'
import { makeRefusalTiming } from './refusal-timing.ts'
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
   * then verified, those of a lower `rank` first. Rejects only when hashing itself fails.
   */
  readonly authenticate: (
    header: string | undefined,
    mayTry?: (name: string) => boolean,
    rank?: (name: string) => number,
  ) => Authentication | Promise<Authentication>
  /** Whether somebody has this name. */
  readonly knows: (name: string) => boolean
}

interface AuthenticatorOptions {
  readonly users: Pick<Users, 'credentialOf' | 'list'>
  readonly randomBytes: (size: number) => Uint8Array
  readonly verify?: (hash: PasswordHash, password: string) => Promise<boolean>
  readonly limits?: FairQueueLimits
  /** Resolves after so many milliseconds. */
  readonly wait?: (milliseconds: number) => Promise<unknown>
}

// Two checks at once leave a core to the service. Wrong ones rest three times as long as they took: half a core in all.
const LIMITS: FairQueueLimits = { runningMax: 2, rest: 3, waitMax: 2_000 }

const NONE: Authentication = { kind: 'none' }
const OVERLOADED: Authentication = { kind: 'overloaded' }

interface CachedCredential {
  readonly digest: Uint8Array
  readonly credential: Credential
  readonly answer: Authentication
}

/** The part of a digest by which it is found; the rest is compared in constant time. */
const slotOf = (digest: string): string => digest.slice(0, 16)

/** What verified credentials are remembered by: digests under a key of this process, never the credentials. */
const makeCredentialCache = (users: AuthenticatorOptions['users']) => {
  const remembered = new Map<string, CachedCredential>()
  const scratch = Buffer.alloc(64)
  const holds = ({ credential }: CachedCredential): boolean => users.credentialOf(credential.user.name) === credential
  return {
    get: (digest: string): Authentication | undefined => {
      const found = remembered.get(slotOf(digest))
      if (found === undefined) return undefined
      scratch.write(digest, 'latin1')
      return timingSafeEqual(scratch, found.digest) && holds(found) ? found.answer : undefined
    },
    put: (digest: string, credential: Credential): Authentication => {
      for (const [slot, old] of remembered) if (!holds(old)) remembered.delete(slot)
      const answer: Authentication = { kind: 'user', user: credential.user }
      remembered.set(slotOf(digest), { digest: Buffer.from(digest, 'latin1'), credential, answer })
      return answer
    },
  }
}

/** What one check of a password costs, in KiB times passes. */
const totalCost = ({ memory, passes }: HashCost): number => memory * passes

/**
 * Checks passwords. For a name that nobody has it does no work, but for one check now and then from which it knows how long
 * one takes; the answer is the same and comes as late, since both wait for the same moment.
 */
const makeCheck = ({
  users,
  randomBytes,
  verify = verifyPassword,
  limits = LIMITS,
  wait = delay,
}: AuthenticatorOptions) => {
  const queue = makeFairQueue(limits)
  const timing = makeRefusalTiming(limits, () => performance.now())
  const decoy = { salt: randomBytes(SALT_BYTES), tag: new Uint8Array(32) }

  /** At the cost of the user whose password costs most. */
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
      const fits = await verify(hash, password)
      timing.record(performance.now() - began)
      return { result: fits, isWasted: !fits }
    })

  const rejectUnknown = async (password: string, rank: number): Promise<false | 'full'> => {
    if (!queue.hasRoom(rank)) return 'full'
    if (queue.isIdle() && timing.isStale()) await checkHash(decoyHash(), password, rank)
    return false
  }

  /** Whose the credentials are; `full` where there is no room for a check. */
  return async ({ name, password }: BasicCredentials, rank: number): Promise<Credential | 'wrong' | 'full'> => {
    const refusedAt = timing.nextRefusal()
    for (;;) {
      const credential = users.credentialOf(name)
      const fits = await (credential === undefined
        ? rejectUnknown(password, rank)
        : checkHash(credential.hash, password, rank))
      if (fits === 'full') return 'full'
      // Whatever came out was about a password that has changed meanwhile.
      if (users.credentialOf(name) !== credential) continue
      if (fits && credential !== undefined) return credential
      await wait(Math.max(0, refusedAt - performance.now()))
      return 'wrong'
    }
  }
}

export const makeAuthenticator = (options: AuthenticatorOptions): Authenticator => {
  const { users, randomBytes } = options
  const secret = Buffer.from(randomBytes(32)).toString('hex')
  const digestOf = (header: string): string => hash('sha256', secret + header, 'hex')
  const cache = makeCredentialCache(users)
  const check = makeCheck(options)
  const inFlight = new Map<string, Promise<Authentication>>()

  const verified = async (credentials: BasicCredentials, digest: string, rank: number): Promise<Authentication> => {
    const found = await check(credentials, rank)
    if (found === 'full') return OVERLOADED
    return found === 'wrong' ? { kind: 'wrong', name: credentials.name } : cache.put(digest, found)
  }

  const begin = (credentials: BasicCredentials, digest: string, rank: number): Promise<Authentication> => {
    const checking = verified(credentials, digest, rank).finally(() => inFlight.delete(digest))
    inFlight.set(digest, checking)
    return checking
  }

  return {
    knows: (name) => users.credentialOf(name) !== undefined,
    authenticate: (header, mayTry = () => true, rank = () => 0) => {
      if (header === undefined) return NONE
      const known = cache.get(digestOf(header))
      if (known !== undefined) return known
      const read = parseBasic(header)
      if (E.isLeft(read)) return { kind: 'malformed', detail: read.left }
      const { name, canonical } = read.right
      const digest = digestOf(canonical)
      const inOtherSpelling = canonical === header ? undefined : cache.get(digest)
      if (inOtherSpelling !== undefined) return inOtherSpelling
      const already = inFlight.get(digest)
      if (already !== undefined) return already
      const before = rank(name)
      return mayTry(name) ? begin(read.right, digest, before) : { kind: 'barred', name }
    },
  }
}
