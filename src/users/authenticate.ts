import { hash, timingSafeEqual } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import { foldName } from '../domain/values/user-name.ts'
import { type BasicCredentials, parseBasic, parseBearer } from './basic.ts'
import type { Credential } from './load-users.ts'
import { makePasswordCheck, type PasswordCheckOptions } from './password-check.ts'
import type { Tokens } from './tokens.ts'
import type { User } from './user.ts'
import type { Users } from './users.ts'

/** The user of a request, or why there is none. All but `user`, `overloaded` and `unready` become 401. */
export type Authentication =
  | { readonly kind: 'user'; readonly user: User }
  /** No Authorization header. */
  | { readonly kind: 'none' }
  /** `detail` completes the sentence "the Authorization header ...". */
  | { readonly kind: 'malformed'; readonly detail: string }
  /** Not all tokens are known yet. */
  | { readonly kind: 'unready' }
  /** No good token. */
  | { readonly kind: 'wrong_token' }
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

interface AuthenticatorOptions extends PasswordCheckOptions {
  readonly tokens: Pick<Tokens, 'isTokenLike' | 'isReady' | 'userOf'>
  readonly users: Pick<Users, 'credentialOf' | 'isCurrent' | 'list'>
}

const NONE: Authentication = { kind: 'none' }
const UNREADY: Authentication = { kind: 'unready' }
const WRONG_TOKEN: Authentication = { kind: 'wrong_token' }
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
  const holds = ({ credential }: CachedCredential): boolean => users.isCurrent(credential)
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

export const makeAuthenticator = (options: AuthenticatorOptions): Authenticator => {
  const { users, tokens, randomBytes } = options
  const secret = Buffer.from(randomBytes(32)).toString('hex')
  const digestOf = (header: string): string => hash('sha256', secret + header, 'hex')
  const cache = makeCredentialCache(users)
  const check = makePasswordCheck(options)
  const inFlight = new Map<string, Promise<Authentication>>()

  const verified = async (credentials: BasicCredentials, digest: string, rank: number): Promise<Authentication> => {
    const found = await check(credentials, rank)
    if (found === 'full') return OVERLOADED
    return found === 'wrong' ? { kind: 'wrong', name: foldName(credentials.name) } : cache.put(digest, found)
  }

  const begin = (credentials: BasicCredentials, digest: string, rank: number): Promise<Authentication> => {
    const checking = verified(credentials, digest, rank).finally(() => inFlight.delete(digest))
    inFlight.set(digest, checking)
    return checking
  }

  const ofToken = (token: string): Authentication => {
    if (!tokens.isReady()) return UNREADY
    const user = tokens.userOf(token)
    return user === undefined ? WRONG_TOKEN : { kind: 'user', user }
  }

  return {
    knows: (name) => users.credentialOf(name) !== undefined,
    authenticate: (header, mayTry = () => true, rank = () => 0) => {
      if (header === undefined) return NONE
      const known = cache.get(digestOf(header))
      if (known !== undefined) return known
      const bearer = parseBearer(header)
      if (bearer !== undefined) return ofToken(bearer)
      const read = parseBasic(header)
      if (E.isLeft(read)) return { kind: 'malformed', detail: read.left }
      const { canonical } = read.right
      // The original product has tokens in place of the name, with any password. Imported users may have such names.
      if (tokens.isTokenLike(read.right.name) && users.credentialOf(read.right.name) === undefined)
        return ofToken(read.right.name)
      // Attempts with any spelling of a name count as attempts with that name.
      const name = foldName(read.right.name)
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
