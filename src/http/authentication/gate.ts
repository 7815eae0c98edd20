import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'
import { LRUCache } from 'lru-cache'
import type { User } from '../../domain/user/user.ts'
import type { Clock } from '../../domain/values/units.ts'
import { foldName } from '../../domain/values/user-name.ts'
import {
  type BasicCredentials,
  credentialsOf,
  type NameAndPassword,
  parseBasic,
  parseBearer,
} from '../../users/basic.ts'
import type { LoginSessions, SessionUser } from '../../users/login-sessions.ts'
import { type CheckedPassword, makePasswordCheck, type PasswordCheckOptions } from '../../users/password-check.ts'
import type { Tokens } from '../../users/tokens.ts'
import { type ClientAddresses, clientNetworkOf, peerOf } from '../protocol/client-address.ts'
import { type Refusal, refusal, SESSION_ENDED } from '../protocol/problem.ts'
import { type Attempts, makeAttempts } from './attempts.ts'

/** User and address pairs that have authenticated, most recent first; about 300 bytes each. */
const SEEN_USERS_MAX = 10_000

/**
 * Remembers where users have authenticated. At a locked-out address, verified credentials keep working only for users
 * seen there before. Otherwise a locked-out address could keep guessing at the speed of the credential cache.
 */
const makeSeenUsers = (addresses: ClientAddresses) => {
  const at = new LRUCache<string, User>({ maxSize: SEEN_USERS_MAX, sizeCalculation: () => 1 })
  const on = new WeakMap<Socket, User>()
  const keyOf = (address: string, { _id }: User): string => `${clientNetworkOf(address)} ${_id}`
  return {
    /** Whether this user was seen on this very connection, which no other client can share. */
    isOn: (socket: Socket, user: User): boolean => on.get(socket) === user,
    isAt: (address: string, user: User): boolean => at.get(keyOf(address, user)) === user,
    add: (socket: Socket, address: string, user: User): void => {
      at.set(keyOf(address, user), user)
      if (!addresses.trusts(peerOf(socket))) on.set(socket, user)
    },
  }
}

type Admitted = E.Either<Refusal, User>
type Pending = Admitted | Promise<Admitted>

export interface Gate {
  /**
   * Authenticates a request by its Authorization header, or refuses it. Returns at once for a password that was verified
   * before and is still valid.
   *
   * @param isAlwaysOpen whether credentials that were verified before suffice while users are unknown
   */
  readonly admit: (request: IncomingMessage, isAlwaysOpen?: boolean) => Pending
  /** Authenticates by a name and a password in the body. A token does not do in place of the name. */
  readonly signIn: (request: IncomingMessage, credentials: NameAndPassword) => Pending
  /** Begins a sign-in that names no user, if the address may try now. Returns a function that counts it as failed. */
  readonly attempt: (request: IncomingMessage) => E.Either<Refusal, () => void>
  /** Checks the password of the request's user again, before it is changed. Throttled like a login. */
  readonly confirm: (request: IncomingMessage, user: User, password: string) => Promise<E.Either<Refusal, unknown>>
}

interface GateOptions extends PasswordCheckOptions {
  /** Whether the users are those of the log, or were a moment ago. */
  readonly isUpToDate: () => boolean
  /** Whether all tokens and ended sessions are known. */
  readonly isReady: () => boolean
  readonly tokens: Pick<Tokens, 'isTokenLike' | 'userOf'>
  readonly sessions: Pick<LoginSessions, 'userOf'>
  readonly addresses: ClientAddresses
  readonly clock: Clock
}

const unauthenticated = (detail: string): Admitted => E.left(refusal('unauthenticated', detail))

const NO_CREDENTIALS = unauthenticated(
  'Credentials are missing. Send a user name and password with Basic authentication, or a token with Bearer.',
)
/** The same text for an unknown name and a wrong password, so that it does not reveal which names exist. */
const WRONG_CREDENTIALS = unauthenticated('The user name or the password is wrong.')
const WRONG_TOKEN = unauthenticated('The token is wrong, has expired or was revoked.')
const UNREADY = E.left(refusal('unavailable', 'The service is still reading its log. Try again.'))
/** Admits nobody, as long as nobody is known. */
export const CLOSED_GATE: Gate = {
  admit: () => UNREADY,
  signIn: () => UNREADY,
  attempt: () => UNREADY,
  confirm: async () => UNREADY,
}
const OVERLOADED = E.left(refusal('unavailable', 'Too many credentials are being checked at once. Try again.'))

const lockedOut = (retryAfter: number): E.Either<Refusal, never> =>
  E.left({
    ...refusal('too_many_attempts', `Too many login attempts from this address failed. Wait ${retryAfter} s.`),
    retryAfter,
  })

/** Refuses what is wrong. Counts it as a failed attempt, and says nothing of it at an address that is locked out. */
const makeRefuseWrong =
  (attempts: Attempts, addresses: ClientAddresses) =>
  (request: IncomingMessage, wrong: Admitted, name?: string): Admitted => {
    const address = addresses.clientOf(request)
    const wait = attempts.lockoutSeconds(address, name)
    if (wait > 0) return lockedOut(wait)
    attempts.begin(address, name)('failed')
    return wrong
  }

type RefuseWrong = ReturnType<typeof makeRefuseWrong>

/** Admits by a name and a password, as often as the address may try. */
const makeByPassword = (options: GateOptions, attempts: Attempts, refuseWrong: RefuseWrong) => {
  const { addresses } = options
  const passwords = makePasswordCheck(options)
  const seen = makeSeenUsers(addresses)

  /** A user who needed no check of its own. At a locked-out address it must have been seen before. */
  const ofVerified = (request: IncomingMessage, user: User): Admitted => {
    if (seen.isOn(request.socket, user)) return E.right(user)
    const address = addresses.clientOf(request)
    const wait = seen.isAt(address, user) ? 0 : attempts.lockoutSeconds(address, foldName(user.name))
    if (wait > 0) return lockedOut(wait)
    seen.add(request.socket, address, user)
    return E.right(user)
  }

  /** The outcome of a check that another request began. This one counts as an attempt too, if it was wrong. */
  const ofShared = (request: IncomingMessage, name: string, checked: CheckedPassword): Admitted => {
    if (checked === 'full') return OVERLOADED
    return checked === 'wrong' ? refuseWrong(request, WRONG_CREDENTIALS, name) : ofVerified(request, checked)
  }

  /** Checks a password. Attempts with fewer before them come first. */
  const attempt = async (
    { socket }: IncomingMessage,
    address: string,
    name: string,
    credentials: BasicCredentials,
  ): Promise<Admitted> => {
    const rank = attempts.rank(address, name)
    const end = attempts.begin(address, name)
    let checked: CheckedPassword
    try {
      checked = await passwords.check(credentials, rank)
    } catch (error) {
      end('passed')
      throw error
    }
    if (checked === 'full') {
      end('refused')
      return OVERLOADED
    }
    end(checked === 'wrong' ? 'failed' : 'passed')
    if (checked === 'wrong') return WRONG_CREDENTIALS
    seen.add(socket, address, checked)
    return E.right(checked)
  }

  return {
    /** The user of a header that was verified before, and may still be so. */
    remembered: passwords.remembered,
    ofVerified,
    admit: (request: IncomingMessage, credentials: BasicCredentials): Pending => {
      // Attempts with any spelling of a name count as attempts with that name.
      const name = foldName(credentials.name)
      const known = passwords.known(credentials)
      if (known instanceof Promise) return known.then((checked) => ofShared(request, name, checked))
      if (known !== undefined) return ofVerified(request, known)
      const address = addresses.clientOf(request)
      const wait = attempts.lockoutSeconds(address, name)
      return wait > 0 ? lockedOut(wait) : attempt(request, address, name, credentials)
    },
  }
}

/** Admits by a token or a session. Nobody guesses one, so a valid one is let in from a locked-out address too. */
const makeByToken = ({ tokens, sessions, isReady, catchUp }: GateOptions, refuseWrong: RefuseWrong) => {
  const ofKnown = (token: string): Admitted | undefined => {
    if (!isReady()) return UNREADY
    const user = tokens.userOf(token)
    return user && E.right(user)
  }
  return {
    /** By a token. If it is none, by `otherwise`, once it is known what other instances have recorded. */
    ofToken: (request: IncomingMessage, token: string, otherwise?: () => Pending | undefined): Pending => {
      const refuse = (): Pending => otherwise?.() ?? refuseWrong(request, WRONG_TOKEN)
      return ofKnown(token) ?? catchUp().then(() => ofKnown(token) ?? refuse())
    },
    ofSession: (request: IncomingMessage, session: string): Pending => {
      if (!isReady()) return UNREADY
      const judge = (user: SessionUser): Admitted => {
        if (user === 'wrong') return refuseWrong(request, WRONG_TOKEN)
        // It was valid once, so this is not a guess.
        return user === 'ended' ? E.left(SESSION_ENDED) : E.right(user)
      }
      const user = sessions.userOf(session)
      return user instanceof Promise ? user.then(judge) : judge(user)
    },
  }
}

const WRONG_PASSWORD = refusal('wrong_password', 'The old password is wrong.')

const NOT_UP_TO_DATE: Admitted = E.left(
  refusal('unavailable', 'This instance cannot read the log, and may not know who may do what. Try again.'),
)

export const makeGate = (options: GateOptions): Gate => {
  const { isUpToDate, isReady, users, tokens, addresses, clock, randomBytes } = options
  const isName = (name: string): boolean => users.credentialOf(name) !== undefined
  const secret = Buffer.from(randomBytes(32)).toString('hex')
  const attempts = makeAttempts({ clock, isKnown: isName, secret })
  const refuseWrong = makeRefuseWrong(attempts, addresses)
  const byPassword = makeByPassword(options, attempts, refuseWrong)
  const { ofToken, ofSession } = makeByToken(options, refuseWrong)

  const ofBearer = (request: IncomingMessage, bearer: string): Pending =>
    tokens.isTokenLike(bearer) ? ofToken(request, bearer) : ofSession(request, bearer)

  const ofBasic = (request: IncomingMessage, header: string): Pending => {
    const credentials = parseBasic(header)
    // Malformed credentials are not a guess.
    if (E.isLeft(credentials)) return unauthenticated(`The Authorization header ${credentials.left}.`)
    const { name } = credentials.right
    const ofName = (): Pending => byPassword.admit(request, credentials.right)
    // The original product has tokens in place of the name, with any password. Imported users may have such names.
    if (!tokens.isTokenLike(name) || isName(name)) return ofName()
    return ofToken(request, name, () => (isName(name) ? ofName() : undefined))
  }

  /** By credentials that were verified before, or a token that is known here. Reads nothing. */
  const ofRemembered = (request: IncomingMessage, header = ''): Admitted => {
    const verified = byPassword.remembered(header)
    if (verified !== undefined) return byPassword.ofVerified(request, verified)
    const credentials = parseBasic(header)
    const token = E.isRight(credentials) ? credentials.right.name : (parseBearer(header) ?? '')
    const user = tokens.isTokenLike(token) && isReady() ? tokens.userOf(token) : undefined
    return user === undefined ? NOT_UP_TO_DATE : E.right(user)
  }

  const signIn: Gate['signIn'] = (request, credentials) =>
    isUpToDate() ? byPassword.admit(request, credentialsOf(credentials)) : NOT_UP_TO_DATE

  return {
    admit: (request, isAlwaysOpen) => {
      const { authorization } = request.headers
      if (!isUpToDate()) return isAlwaysOpen ? ofRemembered(request, authorization) : NOT_UP_TO_DATE
      if (authorization === undefined) return NO_CREDENTIALS
      const verified = byPassword.remembered(authorization)
      if (verified !== undefined) return byPassword.ofVerified(request, verified)
      const bearer = parseBearer(authorization)
      return bearer === undefined ? ofBasic(request, authorization) : ofBearer(request, bearer)
    },
    signIn,
    attempt: (request) => {
      const address = addresses.clientOf(request)
      const wait = attempts.lockoutSeconds(address)
      return wait > 0 ? lockedOut(wait) : E.right(() => attempts.begin(address)('failed'))
    },
    confirm: async (request, { _id, name }, password) => {
      const admitted = await signIn(request, { name, password })
      if (E.isLeft(admitted)) return admitted.left.code === 'unauthenticated' ? E.left(WRONG_PASSWORD) : admitted
      // Another user may have got the name meanwhile.
      return admitted.right._id === _id ? admitted : E.left(WRONG_PASSWORD)
    },
  }
}
