import * as E from 'fp-ts/lib/Either.js'
import type { makeProvisionUser } from '../../../commands/users/provision-user.ts'
import { text } from '../../../domain/codec/codec.ts'
import { closed } from '../../../domain/codec/object-codec.ts'
import { failure } from '../../../domain/failure.ts'
import { type RoleMapping, roleOf } from '../../../domain/user/role-mapping.ts'
import { StoreUnavailable } from '../../../event-store/event-store.ts'
import type { LoginSessions } from '../../../users/login-sessions.ts'
import type { Person } from '../../../users/oidc/claims.ts'
import type { Provider, SignInChecks } from '../../../users/oidc/provider.ts'
import { ProviderUnavailable } from '../../../users/oidc/why-failed.ts'
import type { Sealer } from '../../../vault/derived/sealer.ts'
import { bodyOf, withoutBody } from '../../codecs/body.ts'
import type { UsedTickets } from '../../console/used-tickets.ts'
import { type Call, NO_STORE, type RouteResult } from '../../protocol/call.ts'
import { type Refusal, refusal } from '../../protocol/problem.ts'
import { post, type Route, refTo } from '../../protocol/route.ts'
import type { Parts, SignOnEnd, SingleSignOn } from '../parts.ts'
import { sessionResponse } from './login.ts'

/** What the end of a single sign-on needs of its beginning. */
export interface SignInTransaction extends SignInChecks {
  /** Unix milliseconds. */
  readonly expires: number
}

/** What a browser brings from the provider. Codes of some providers have two thousand characters. */
const endBody = bodyOf(
  closed(
    'SignOnEnd',
    { code: text(1, 4_096), state: text(1, 256), transaction: text(1, 1_024) },
    { iss: text(1, 2_048) },
  ),
)

interface SingleSignOnDependencies extends Pick<Parts, 'users' | 'clock' | 'randomBytes'> {
  readonly provider: Provider
  readonly roles: RoleMapping
  readonly transactions: Sealer<SignInTransaction>
  /** Transactions that were used, by their nonce. */
  readonly used: UsedTickets
  readonly provisionUser: ReturnType<typeof makeProvisionUser>
  readonly sessions: Pick<LoginSessions, 'begin'>
  /** Called for each sign-in, with whether the user keeps a role only because it is the last administrator. */
  readonly onAdmitted: (userId: string, isLastAdministrator: boolean) => void
  /** Called when a sign-in fails or the provider is unavailable. */
  readonly onFailure: (reason: string, requestId: string) => void
}

/** From the beginning of a sign-in to its end. */
const SIGN_IN_MAX_MS = 600_000
/** Bytes of a state, a nonce and a verifier. */
const RANDOM_BYTES = 32
/** Sign-ins that wait for the provider at once. */
export const EXCHANGES_MAX = 16

const UNAVAILABLE = refusal(
  'provider_unavailable',
  'The provider of single sign-on does not answer as it should. Try again.',
)
const FAILED = refusal('sign_in_failed', 'This is not the end of a sign-in that began here. Begin again.')
const TOO_LATE = refusal('sign_in_failed', 'The sign-in took longer than ten minutes. Begin again.')
const USED = refusal('sign_in_failed', 'This sign-in has ended before. Begin again.')
const NO_ROLE = refusal('no_role', 'The provider gives you no role here. Ask the person who manages your groups.')
const TOO_MANY = failure('unavailable', 'Too many people are signing in at once. Try again.')
const UNREAD = failure('unavailable', 'The event store cannot be read. Sign in again.')
const REMOVED = failure('user_removed', 'The user has been removed.')

/** Asks the provider, and refuses where it does not answer as it should. */
const askProvider = async <A>(
  onFailure: SingleSignOnDependencies['onFailure'],
  requestId: string,
  ask: () => Promise<E.Either<Refusal, A>>,
): Promise<E.Either<Refusal, A>> => {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof ProviderUnavailable)) throw error
    onFailure(error.message, requestId)
    return E.left(UNAVAILABLE)
  }
}

/** Finds out who signed in, for a few at once. */
const makeIdentify = ({ provider, transactions, used, clock, onFailure }: SingleSignOnDependencies) => {
  let running = 0

  /** Opens a transaction and uses it up, so that no sign-in ends twice. */
  const take = ({ transaction, state }: SignOnEnd): E.Either<Refusal, SignInTransaction> => {
    const opened = transactions.open(transaction)
    if (opened === undefined || opened.state !== state) return E.left(FAILED)
    if (opened.expires <= clock()) return E.left(TOO_LATE)
    const claimed = used.claim(opened.nonce, opened.expires)
    if (claimed === 'claimed') return E.right(opened)
    return E.left(claimed === 'used' ? USED : TOO_MANY)
  }

  const exchange = async (
    { requestId, body }: Call<SignOnEnd>,
    transaction: SignInTransaction,
  ): Promise<E.Either<Refusal, Person>> => {
    if (running >= EXCHANGES_MAX) return E.left(TOO_MANY)
    running++
    return askProvider(onFailure, requestId, async () => {
      const ended = await provider.exchange(body, transaction)
      if (E.isRight(ended)) return ended
      onFailure(ended.left, requestId)
      return E.left(FAILED)
    }).finally(() => running--)
  }

  return async (call: Call<SignOnEnd>): Promise<E.Either<Refusal, Person>> => {
    const attempt = call.caller().attempt()
    if (E.isLeft(attempt)) return attempt
    const taken = take(call.body)
    const person = E.isLeft(taken) ? taken : await exchange(call, taken.right)
    if (E.isRight(person)) return person
    // What was forged counts as a failed login of its address. Otherwise the code may still be valid.
    if (person.left === FAILED) attempt.right()
    else if (E.isRight(taken)) used.release(taken.right.nonce)
    return person
  }
}

export const makeSingleSignOn = (parts: SingleSignOnDependencies): SingleSignOn => {
  const { provider, roles, transactions, provisionUser, users, sessions, onAdmitted, onFailure, clock } = parts
  const identify = makeIdentify(parts)
  const random = (): string => Buffer.from(parts.randomBytes(RANDOM_BYTES)).toString('base64url')

  const enter = async (call: Call, person: Person): RouteResult => {
    const role = roleOf(roles, person.values)
    if (role === undefined) return E.left(NO_ROLE)
    const admitted = await provisionUser({ ...person, role }, call.requestId)
    if (E.isLeft(admitted)) return admitted
    const { _id, isLastAdministrator } = admitted.right
    onAdmitted(_id, isLastAdministrator)
    const user = users.byId(_id)
    if (user === undefined) return E.left(REMOVED)
    call.caller().setUser(user)
    return E.right(sessionResponse(user, await sessions.begin(user, { renewable: false })))
  }

  return {
    start: ({ requestId }) =>
      askProvider(onFailure, requestId, async () => {
        const transaction = { state: random(), nonce: random(), verifier: random(), expires: clock() + SIGN_IN_MAX_MS }
        const url = await provider.signInUrl(transaction)
        const body = JSON.stringify({ url, transaction: transactions.seal(transaction) })
        return E.right({ status: 200, body, headers: NO_STORE })
      }),
    finish: async (call) => {
      const person = await identify(call)
      if (E.isLeft(person)) return person
      try {
        return await enter(call, person.right)
      } catch (error) {
        // Nothing is known to have been recorded, and a further sign-in is not a repetition.
        if (error instanceof StoreUnavailable) return E.left(UNREAD)
        throw error
      }
    },
  }
}

const NOT_CONFIGURED = E.left(
  refusal('oidc_not_configured', 'This service has no single sign-on. Sign in with a name and a password.'),
)

export const singleSignOnRoutes: readonly Route<Parts>[] = [
  post('/api/login/oidc/start', {
    id: 'startSingleSignOn',
    summary: 'Begin a single sign-on',
    description:
      'Keep `transaction`, which is valid for ten minutes, and go to `url`. The provider sends the browser back to `/login/callback`, with what `POST /api/login/oidc/finish` needs.',
    roles: 'anyone',
    ...withoutBody,
    answer: refTo('SignOnStart'),
    refusals: ['oidc_not_configured', 'provider_unavailable'],
    handler: async ({ singleSignOn }: Parts, call) => singleSignOn?.start(call) ?? NOT_CONFIGURED,
  }),
  post('/api/login/oidc/finish', {
    id: 'finishSingleSignOn',
    summary: 'End a single sign-on',
    description:
      'Begins a session for twelve hours, which cannot be extended. The first sign-in adds a user, and each one sets its role. A transaction and a code can be used once.',
    roles: 'anyone',
    body: endBody,
    answer: refTo('LoginSession'),
    refusals: [
      'oidc_not_configured',
      'sign_in_failed',
      'no_role',
      'user_removed',
      'too_many_attempts',
      'provider_unavailable',
    ],
    handler: async ({ singleSignOn }: Parts, call: Call<SignOnEnd>) => singleSignOn?.finish(call) ?? NOT_CONFIGURED,
  }),
]
