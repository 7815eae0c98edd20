import { hash, timingSafeEqual } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { type BasicCredentials, parseBasic } from './basic.ts'
import { type FairQueueLimits, makeFairQueue } from './fair-queue.ts'
import { HASH_COST, type HashCost, type PasswordHash, SALT_BYTES, verifyPassword } from './password.ts'
import { makeRefusalTiming } from './refusal-timing.ts'
import type { Credential, Users } from './users.ts'
import type { User } from './users-file.ts'

/** The user of a request, or why there is none. All but `user` and `overloaded` become 401. */
export type Authentication =
  | { readonly kind: 'user'; readonly user: User }
  /** No Authorization header. */
  | { readonly kind: 'none' }
  /** `detail` completes the sentence "the Authorization header ...". */
  | { readonly kind: 'malformed'; readonly detail: string }
  /** Unknown name or wrong password; clients cannot tell which. */
  | { readonly kind: 'wrong'; readonly name: string }
  /** `mayTry` returned false. */
  | { readonly kind: 'barred'; readonly name: string }
  /** Too many concurrent password checks. */
  | { readonly kind: 'overloaded' }

export interface Authenticator {
  /**
   * Returns at once for cached credentials that are still valid. Joins a check of the same credentials in progress.
   * Otherwise asks `mayTry`, which can limit attempts per address and name, then checks the password, lower `rank`
   * first. Rejects only if hashing itself fails.
   */
  readonly authenticate: (
    header: string | undefined,
    mayTry?: (name: string) => boolean,
    rank?: (name: string) => number,
  ) => Authentication | Promise<Authentication>
  /** Whether a user has this name. */
  readonly knows: (name: string) => boolean
}

interface AuthenticatorOptions {
  readonly users: Pick<Users, 'credentialOf' | 'list'>
  readonly randomBytes: (size: number) => Uint8Array
  readonly verify?: (hash: PasswordHash, password: string) => Promise<boolean>
  readonly limits?: FairQueueLimits
  /** Waits for so many milliseconds. */
  readonly wait?: (milliseconds: number) => Promise<unknown>
}

// Two concurrent checks leave a core to the service. After a failed check its slot rests three times as long as the
// check took: half a core in total.
const LIMITS: FairQueueLimits = { runningMax: 2, rest: 3, waitMax: 2_000 }

const NONE: Authentication = { kind: 'none' }
const OVERLOADED: Authentication = { kind: 'overloaded' }

interface CachedCredential {
  readonly digest: Uint8Array
  readonly credential: Credential
  readonly answer: Authentication
}

/** The lookup part of a digest. The rest is compared in constant time. */
const slotOf = (digest: string): string => digest.slice(0, 16)

/** Caches verified credentials by a digest keyed with a per-process secret, never the credentials themselves. */
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

/** Cost of a password check, in KiB times passes. */
const totalCost = ({ memory, passes }: HashCost): number => memory * passes

/**
 * Milliseconds over which refusals are spread. Timers count whole milliseconds, and what they cut off would differ
 * between a name that was checked and one that was not. Rounding at random keeps the mean the same for both.
 */
const SPREAD = 4

/**
 * Checks passwords. For unknown names it does no work, apart from an occasional check to measure the current duration.
 * Both kinds of refusal return at the same computed time, so timing does not reveal whether a name exists.
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
      const fits = await verify(hash, password)
      timing.record(performance.now() - began)
      return { result: fits, isWasted: !fits }
    })

  const rejectUnknown = async (password: string, rank: number): Promise<false | 'full'> => {
    if (!queue.hasRoom(rank)) return 'full'
    if (queue.isIdle() && timing.isStale()) await checkHash(decoyHash(), password, rank)
    return false
  }

  /** The user of the credentials; `full` if there is no room for a check. */
  return async ({ name, password }: BasicCredentials, rank: number): Promise<Credential | 'wrong' | 'full'> => {
    const refusedAt = timing.nextRefusal()
    for (;;) {
      const credential = users.credentialOf(name)
      const fits = await (credential === undefined
        ? rejectUnknown(password, rank)
        : checkHash(credential.hash, password, rank))
      if (fits === 'full') return 'full'
      // The password changed during the check, so check again.
      if (users.credentialOf(name) !== credential) continue
      if (fits && credential !== undefined) return credential
      await wait(Math.floor(Math.max(0, refusedAt - performance.now()) + Math.random() * SPREAD))
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
