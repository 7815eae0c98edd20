import { hash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import { foldName } from '../domain/values/user-name.ts'
import { type BasicCredentials, credentialsOf, type NameAndPassword, parseBasic, parseBearer } from './basic.ts'
import type { CatchUpUsers } from './catch-up.ts'
import type { Credential } from './load-users.ts'
import type { LoginSessions, SessionUser } from './login-sessions.ts'
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
  /** Not all tokens and ended sessions are known yet. */
  | { readonly kind: 'unready' }
  /** Neither a valid token nor the token of a session. */
  | { readonly kind: 'wrong_token' }
  /** A session that has expired or was ended. */
  | { readonly kind: 'ended_session' }
  /** Unknown name or wrong password; clients cannot tell which. */
  | { readonly kind: 'wrong'; readonly name: string }
  /** `mayTry` returned false. */
  | { readonly kind: 'barred'; readonly name: string }
  /** Too many concurrent password checks. */
  | { readonly kind: 'overloaded' }

type Pending = Authentication | Promise<Authentication>
type MayTry = (name: string) => boolean
type Rank = (name: string) => number

export type Authenticator = ReturnType<typeof makeAuthenticator>

export interface AuthenticatorOptions extends PasswordCheckOptions {
  readonly tokens: Pick<Tokens, 'isTokenLike' | 'isReady' | 'userOf'>
  readonly sessions: Pick<LoginSessions, 'isSessionLike' | 'isReady' | 'userOf'>
  readonly users: Pick<Users, 'credentialOf' | 'isCurrent' | 'list'>
  /** Reads what other instances have recorded of tokens, and of users. */
  readonly catchUpTokens: CatchUpUsers
  /** Verified credentials to remember: 65,536 unless given. */
  readonly rememberedMax?: number
}

/**
 * One for each user, and for each spelling of a name that is the same user's; about 300 bytes each. Each was verified, so
 * only users can push out others, at the cost of one check each; these are then verified again. In the order of their
 * verification: moving one at each request would cost every request.
 */
const REMEMBERED_MAX = 65_536

const NONE: Authentication = { kind: 'none' }
const UNREADY: Authentication = { kind: 'unready' }
const WRONG_TOKEN: Authentication = { kind: 'wrong_token' }
const ENDED_SESSION: Authentication = { kind: 'ended_session' }
const OVERLOADED: Authentication = { kind: 'overloaded' }

interface CachedCredential {
  readonly credential: Credential
  readonly answer: Authentication
}

/** Caches verified credentials by a digest keyed with a per-process secret, never the credentials themselves. */
const makeCredentialCache = ({ users, rememberedMax = REMEMBERED_MAX }: AuthenticatorOptions) => {
  const remembered = new Map<string, CachedCredential>()
  /** The list of users, which any change replaces, when what is not current was forgotten last. */
  let swept: readonly User[] = []
  return {
    get: (digest: string): Authentication | undefined => {
      const found = remembered.get(digest)
      return found !== undefined && users.isCurrent(found.credential) ? found.answer : undefined
    },
    put: (digest: string, credential: Credential): Authentication => {
      if (swept !== users.list()) {
        swept = users.list()
        for (const [key, old] of remembered) if (!users.isCurrent(old.credential)) remembered.delete(key)
      }
      const [oldest] = remembered.keys()
      if (remembered.size >= rememberedMax && oldest !== undefined) remembered.delete(oldest)
      const answer: Authentication = { kind: 'user', user: credential.user }
      remembered.set(digest, { credential, answer })
      return answer
    },
  }
}

const sessionAnswer = (found: SessionUser): Authentication => {
  if (found === 'ended') return ENDED_SESSION
  return found === 'wrong' ? WRONG_TOKEN : { kind: 'user', user: found }
}

/** Checks passwords. Credentials that have been verified, or are being verified, need no further check. */
const makePasswordLogin = (options: AuthenticatorOptions) => {
  const secret = Buffer.from(options.randomBytes(32)).toString('hex')
  const digestOf = (header: string): string => hash('sha256', secret + header, 'hex')
  const cache = makeCredentialCache(options)
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

  return {
    /** The result of a header that has been verified. */
    remembered: (header: string): Authentication | undefined => cache.get(digestOf(header)),
    check: (credentials: BasicCredentials, mayTry: MayTry, rank: Rank): Pending => {
      // Attempts with any spelling of a name count as attempts with that name.
      const name = foldName(credentials.name)
      const digest = digestOf(credentials.canonical)
      const known = cache.get(digest) ?? inFlight.get(digest)
      if (known !== undefined) return known
      const before = rank(name)
      return mayTry(name) ? begin(credentials, digest, before) : { kind: 'barred', name }
    },
  }
}

export const makeAuthenticator = (options: AuthenticatorOptions) => {
  const { users, tokens, sessions, catchUpTokens } = options
  const passwords = makePasswordLogin(options)

  const ofKnownToken = (token: string): Authentication => {
    if (!tokens.isReady()) return UNREADY
    const user = tokens.userOf(token)
    return user === undefined ? WRONG_TOKEN : { kind: 'user', user }
  }

  const ofToken = (token: string): Pending => {
    const found = ofKnownToken(token)
    return found === WRONG_TOKEN ? catchUpTokens().then(() => ofKnownToken(token)) : found
  }

  const ofSession = (session: string): Pending => {
    if (!sessions.isReady()) return UNREADY
    const found = sessions.userOf(session)
    return found instanceof Promise ? found.then(sessionAnswer) : sessionAnswer(found)
  }

  return {
    /** The user of credentials that were verified before, or of a token that is known here. Reads nothing. */
    remembered: (header = ''): Authentication | undefined => {
      const read = parseBasic(header)
      const token = E.isRight(read) ? read.right.name : (parseBearer(header) ?? '')
      const found = passwords.remembered(header) ?? (tokens.isTokenLike(token) ? ofKnownToken(token) : undefined)
      return found?.kind === 'user' ? found : undefined
    },
    /** Whether a user has this name. */
    knows: (name: string): boolean => users.credentialOf(name) !== undefined,
    /** Like `authenticate`, but does not accept a token in place of the name. */
    signIn: (credentials: NameAndPassword, mayTry: MayTry = () => true, rank: Rank = () => 0): Pending =>
      passwords.check(credentialsOf(credentials), mayTry, rank),
    /**
     * Who a request is from, by its Authorization header. Returns at once for cached credentials that are still valid.
     * Joins a check of the same credentials in progress. Otherwise asks `mayTry`, which can limit attempts per address
     * and name, then checks the password, lower `rank` first. Rejects only if hashing itself fails.
     */
    authenticate: (header: string | undefined, mayTry: MayTry = () => true, rank: Rank = () => 0): Pending => {
      if (header === undefined) return NONE
      const known = passwords.remembered(header)
      if (known !== undefined) return known
      const bearer = parseBearer(header)
      if (bearer !== undefined) return sessions.isSessionLike(bearer) ? ofSession(bearer) : ofToken(bearer)
      const read = parseBasic(header)
      if (E.isLeft(read)) return { kind: 'malformed', detail: read.left }
      const ofPassword = (): Pending => passwords.check(read.right, mayTry, rank)
      const { name } = read.right
      // The original product has tokens in place of the name, with any password. Imported users may have such names.
      const isName = (): boolean => !tokens.isTokenLike(name) || users.credentialOf(name) !== undefined
      if (isName()) return ofPassword()
      const found = ofToken(name)
      return found instanceof Promise ? found.then((settled) => (isName() ? ofPassword() : settled)) : found
    },
  }
}
