import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'
import { LRUCache } from 'lru-cache'
import { foldName } from '../../domain/values/user-name.ts'
import type { Authentication, Authenticator } from '../../users/authenticate.ts'
import type { NameAndPassword } from '../../users/basic.ts'
import type { User } from '../../users/user.ts'
import { type ClientAddresses, clientNetworkOf, peerOf } from '../protocol/client-address.ts'
import { type Refusal, refusal, SESSION_ENDED } from '../protocol/problem.ts'
import { type AttemptOutcome, type Attempts, makeAttempts } from './attempts.ts'

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

type Pending = Authentication | Promise<Authentication>

type Admitted = E.Either<Refusal, User>

export interface Gate {
  /**
   * Authenticates a request or refuses it.
   *
   * @param isAlwaysOpen whether credentials that were verified before suffice while users are unknown
   */
  readonly admit: (request: IncomingMessage, isAlwaysOpen?: boolean) => Admitted | Promise<Admitted>
  /** Authenticates by a name and a password in the body. */
  readonly signIn: (request: IncomingMessage, credentials: NameAndPassword) => Admitted | Promise<Admitted>
  /** Begins a sign-in that names no user, if the address may try now. Returns a function that counts it as failed. */
  readonly attempt: (request: IncomingMessage) => E.Either<Refusal, () => void>
  /** Checks the password of the request's user again, before it is changed. Throttled like a login. */
  readonly confirm: (request: IncomingMessage, user: User, password: string) => Promise<E.Either<Refusal, unknown>>
}

interface GateOptions {
  /** Whether the users are those of the log, or were a moment ago. */
  readonly isUpToDate: () => boolean
  readonly authenticator: Authenticator
  readonly addresses: ClientAddresses
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly randomBytes: (size: number) => Uint8Array
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

const lockedOut = (retryAfter: number): Refusal => ({
  ...refusal('too_many_attempts', `Too many login attempts from this address failed. Wait ${retryAfter} s.`),
  retryAfter,
})

type End = (how: AttemptOutcome) => void

const outcomeOf = ({ kind }: Authentication): AttemptOutcome => {
  if (kind === 'overloaded') return 'refused'
  return kind === 'wrong' ? 'failed' : 'passed'
}

/**
 * Decides on the result of a check. `end` belongs to this request's own attempt; a shared or cached result has none.
 */
const makeDecision = (attempts: Attempts, addresses: ClientAddresses) => {
  const seen = makeSeenUsers(addresses)

  const ofUser = (request: IncomingMessage, user: User, wasTried: boolean): Admitted => {
    // Nobody guesses a token or a session: a valid one is let in from a locked-out address too.
    if (user.token !== undefined || user.session !== undefined) return E.right(user)
    if (seen.isOn(request.socket, user)) return E.right(user)
    const address = addresses.clientOf(request)
    const wait = wasTried || seen.isAt(address, user) ? 0 : attempts.lockoutSeconds(address, foldName(user.name))
    if (wait > 0) return E.left(lockedOut(wait))
    seen.add(request.socket, address, user)
    return E.right(user)
  }

  /** Refuses what is wrong, and counts it as a failed attempt that has not been counted. */
  const ofWrong = (request: IncomingMessage, wrong: Admitted, name?: string): Admitted => {
    const address = addresses.clientOf(request)
    const wait = attempts.lockoutSeconds(address, name)
    if (wait > 0) return E.left(lockedOut(wait))
    attempts.begin(address, name)('failed')
    return wrong
  }

  return (request: IncomingMessage, result: Authentication, end: End | undefined): Admitted => {
    end?.(outcomeOf(result))
    switch (result.kind) {
      case 'user':
        return ofUser(request, result.user, end !== undefined)
      case 'unready':
        return UNREADY
      case 'wrong_token':
        return ofWrong(request, WRONG_TOKEN)
      // It was valid once, so this is not a guess.
      case 'ended_session':
        return E.left(SESSION_ENDED)
      case 'wrong':
        return end === undefined ? ofWrong(request, WRONG_CREDENTIALS, result.name) : WRONG_CREDENTIALS
      case 'barred':
        return E.left(lockedOut(Math.max(1, attempts.lockoutSeconds(addresses.clientOf(request), result.name))))
      case 'overloaded':
        return OVERLOADED
      // Malformed credentials are not a guess.
      case 'malformed':
        return unauthenticated(`The Authorization header ${result.detail}.`)
      case 'none':
        return NO_CREDENTIALS
    }
  }
}

const WRONG_PASSWORD = refusal('wrong_password', 'The old password is wrong.')

const NOT_UP_TO_DATE: Admitted = E.left(
  refusal('unavailable', 'This instance cannot read the log, and may not know who may do what. Try again.'),
)

export const makeGate = (options: GateOptions): Gate => {
  const { isUpToDate, authenticator, addresses, clock, randomBytes } = options
  const secret = Buffer.from(randomBytes(32)).toString('hex')
  const attempts = makeAttempts({ clock, isKnown: authenticator.knows, secret })
  const verdict = makeDecision(attempts, addresses)

  type Try = (...how: [mayTry: (name: string) => boolean, rank: (name: string) => number]) => Pending

  const check = (request: IncomingMessage, authenticate: Try): Admitted | Promise<Admitted> => {
    if (!isUpToDate()) return NOT_UP_TO_DATE
    let end: End | undefined
    const mayTry = (name: string): boolean => {
      const address = addresses.clientOf(request)
      if (attempts.lockoutSeconds(address, name) > 0) return false
      end = attempts.begin(address, name)
      return true
    }
    const rank = (name: string): number => attempts.rank(addresses.clientOf(request), name)
    const result = authenticate(mayTry, rank)
    if (!(result instanceof Promise)) return verdict(request, result, end)
    return result.then(
      (settled) => verdict(request, settled, end),
      (error: unknown) => {
        end?.('passed')
        throw error
      },
    )
  }

  const signIn: Gate['signIn'] = (request, credentials) =>
    check(request, (...how) => authenticator.signIn(credentials, ...how))

  return {
    admit: (request, isAlwaysOpen) => {
      const { authorization } = request.headers
      if (!isUpToDate() && isAlwaysOpen) {
        const user = authenticator.remembered(authorization)
        return user === undefined ? NOT_UP_TO_DATE : verdict(request, user, undefined)
      }
      return check(request, (...how) => authenticator.authenticate(authorization, ...how))
    },
    signIn,
    attempt: (request) => {
      const address = addresses.clientOf(request)
      const wait = attempts.lockoutSeconds(address)
      return wait > 0 ? E.left(lockedOut(wait)) : E.right(() => attempts.begin(address)('failed'))
    },
    confirm: async (request, { _id, name }, password) => {
      const admitted = await signIn(request, { name, password })
      if (E.isLeft(admitted)) return admitted.left.code === 'unauthenticated' ? E.left(WRONG_PASSWORD) : admitted
      // Another user may have got the name meanwhile.
      return admitted.right._id === _id ? admitted : E.left(WRONG_PASSWORD)
    },
  }
}
