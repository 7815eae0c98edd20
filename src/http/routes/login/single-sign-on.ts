import * as E from 'fp-ts/lib/Either.js'
import { runKnowingNames } from '../../../commands/claim-name.ts'
import { text } from '../../../domain/codec/codec.ts'
import { closed } from '../../../domain/codec/object-codec.ts'
import type { Actor } from '../../../domain/decider.ts'
import { EPOCH_BYTES, type Role } from '../../../domain/events/user.ts'
import { type Failure, failure, refuse } from '../../../domain/failure.ts'
import { userDecider } from '../../../domain/user/decide.ts'
import { freeName } from '../../../domain/user/names.ts'
import { roleOf } from '../../../domain/user/role-mapping.ts'
import { makeId, USERS_STREAM } from '../../../domain/values/ids.ts'
import { foldName } from '../../../domain/values/user-name.ts'
import { StoreUnavailable } from '../../../event-store/event-store.ts'
import type { Person } from '../../../users/oidc/claims.ts'
import { ProviderUnavailable } from '../../../users/oidc/why-failed.ts'
import { type BodyOf, bodyOf, withoutBody } from '../../codecs/body.ts'
import { type Call, NO_STORE, type RouteResult } from '../../protocol/call.ts'
import { type Refusal, refusal } from '../../protocol/problem.ts'
import { post, type Route, refTo } from '../../protocol/route.ts'
import type { Parts, SignInTransaction, SingleSignOn } from '../parts.ts'
import { sessionResponse } from './login.ts'

/** What a browser brings from the provider. Codes of some providers have two thousand characters. */
const endBody = bodyOf(
  closed(
    'SignOnEnd',
    { code: text(1, 4_096), state: text(1, 256), transaction: text(1, 1_024) },
    { iss: text(1, 2_048) },
  ),
)

type SignOnEnd = BodyOf<typeof endBody>

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
const NOT_CONFIGURED = refusal(
  'oidc_not_configured',
  'This service has no single sign-on. Sign in with a name and a password.',
)

const warnOfFailure = ({ warn }: SingleSignOn, reason: string, request_id: string): void =>
  warn({ reason, request_id }, 'a single sign-on failed')

/** Asks the provider, and refuses where it does not answer as it should. */
const askProvider = async <A>(
  singleSignOn: SingleSignOn,
  requestId: string,
  ask: () => Promise<E.Either<Refusal, A>>,
): Promise<E.Either<Refusal, A>> => {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof ProviderUnavailable)) throw error
    warnOfFailure(singleSignOn, error.message, requestId)
    return E.left(UNAVAILABLE)
  }
}

const start = async ({ singleSignOn, clock, randomBytes }: Parts, { requestId }: Call): RouteResult => {
  if (singleSignOn === undefined) return E.left(NOT_CONFIGURED)
  const { provider, transactions } = singleSignOn
  const random = (): string => Buffer.from(randomBytes(RANDOM_BYTES)).toString('base64url')
  return askProvider(singleSignOn, requestId, async () => {
    const transaction = { state: random(), nonce: random(), verifier: random(), expires: clock() + SIGN_IN_MAX_MS }
    const url = await provider.signInUrl(transaction)
    const body = JSON.stringify({ url, transaction: transactions.seal(transaction) })
    return E.right({ status: 200, body, headers: NO_STORE })
  })
}

/** Opens a transaction and uses it up, so that no sign-in ends twice. */
const take = (
  { transactions, used }: SingleSignOn,
  { transaction, state }: SignOnEnd,
  now: number,
): E.Either<Refusal, SignInTransaction> => {
  const opened = transactions.open(transaction)
  if (opened === undefined || opened.state !== state) return E.left(FAILED)
  if (opened.expires <= now) return E.left(TOO_LATE)
  const claimed = used.claim(opened.nonce, opened.expires)
  if (claimed === 'claimed') return E.right(opened)
  return E.left(claimed === 'used' ? USED : TOO_MANY)
}

/** Exchanges what a browser brought for who signed in, for a few at once. */
const exchange = async (
  singleSignOn: SingleSignOn,
  { requestId, body }: Call<SignOnEnd>,
  transaction: SignInTransaction,
): Promise<E.Either<Refusal, Person>> => {
  if (singleSignOn.exchanging >= EXCHANGES_MAX) return E.left(TOO_MANY)
  singleSignOn.exchanging++
  return askProvider(singleSignOn, requestId, async () => {
    const person = await singleSignOn.provider.exchange(body, transaction)
    if (E.isRight(person)) return person
    warnOfFailure(singleSignOn, person.left, requestId)
    return E.left(FAILED)
  }).finally(() => singleSignOn.exchanging--)
}

const identify = async (
  { gate, clock }: Parts,
  singleSignOn: SingleSignOn,
  call: Call<SignOnEnd>,
): Promise<E.Either<Refusal, Person>> => {
  const attempt = gate.attempt(call.request)
  if (E.isLeft(attempt)) return attempt
  const taken = take(singleSignOn, call.body, clock())
  const person = E.isLeft(taken) ? taken : await exchange(singleSignOn, call, taken.right)
  if (E.isRight(person)) return person
  // What was forged counts as a failed login of its address. Otherwise the code may still be valid.
  if (person.left === FAILED) attempt.right()
  else if (E.isRight(taken)) singleSignOn.used.release(taken.right.nonce)
  return person
}

/** Single sign-on, as the actor of what it records. */
const OIDC: Actor = { _id: 'oidc', role: 'system' }

/** How often another user may get the name meanwhile. */
const NAMES_MAX = 16

const REMOVED = failure('user_removed', 'The user has been removed.')

/** Adds a user for an identity that none has. Nothing is recorded if one has it by now. */
const addUser = async (
  parts: Parts,
  person: Person,
  role: Role,
  requestId: string,
): Promise<E.Either<Failure, unknown>> => {
  const { runner, users, vault, clock, randomHex } = parts
  const { identity } = person
  for (let attempt = 1; ; attempt++) {
    const name = freeName(person.name, new Set(users.names().values()))
    const _id = makeId(clock(), randomHex(8))
    const { credentials, secrets } = vault.sealUser(_id, { epoch: randomHex(EPOCH_BYTES), identity, name })
    const user = { _id, role, credentials, folded: foldName(name) }
    const added = await runKnowingNames(users, (known) =>
      runner.run(userDecider, USERS_STREAM, {
        ...{ actor: OIDC, requestId, secrets },
        command: { type: 'AddUsers', users: [user], known, identity: { identity, known: users.identities() } },
      }),
    )
    await users.refresh()
    if (E.isRight(added) || added.left.code !== 'user_name_taken' || attempt === NAMES_MAX) return added
  }
}

/**
 * Finds the user of somebody who signed in with the provider, adds one at the first time, and gives it the role that the
 * sign-in brings. The last administrator stays one.
 *
 * @throws StoreUnavailable
 */
const provisionUser = async (
  parts: Parts,
  person: Person,
  role: Role,
  requestId: string,
  { warn }: SingleSignOn,
): Promise<E.Either<Failure, string>> => {
  const { runner, users } = parts
  const { identity } = person
  await users.refresh()
  const added =
    users.byIdentity(identity) === undefined ? await addUser(parts, person, role, requestId) : E.right(undefined)
  if (E.isLeft(added)) return added
  const user = users.byIdentity(identity)
  if (user === undefined) return refuse('unavailable', 'The new user is not known yet. Try again.')
  const { _id, status } = user
  if (status !== 'present') return E.left(REMOVED)
  if (user.role === role) return E.right(_id)
  const envelope = { actor: OIDC, requestId, command: { type: 'ChangeUser', _id, role } } as const
  const changed = await runner.run(userDecider, USERS_STREAM, envelope)
  if (E.isLeft(changed) && changed.left.code !== 'last_administrator') return changed
  if (E.isLeft(changed)) {
    const facts = { user: _id, request_id: requestId }
    warn(facts, 'the provider makes the last administrator none any more, who stays it')
  }
  await users.refresh()
  return E.right(_id)
}

const enter = async (parts: Parts, call: Call, person: Person, singleSignOn: SingleSignOn): RouteResult => {
  const { users, sessions } = parts
  const role = roleOf(singleSignOn.roles, person.values)
  if (role === undefined) return E.left(NO_ROLE)
  const provisioned = await provisionUser(parts, person, role, call.requestId, singleSignOn)
  if (E.isLeft(provisioned)) return provisioned
  const user = users.byId(provisioned.right)
  if (user === undefined) return E.left(REMOVED)
  call.setUser(user)
  return E.right(sessionResponse(user, await sessions.begin(user, { renewable: false })))
}

const finish = async (parts: Parts, call: Call<SignOnEnd>): RouteResult => {
  const { singleSignOn } = parts
  if (singleSignOn === undefined) return E.left(NOT_CONFIGURED)
  const person = await identify(parts, singleSignOn, call)
  if (E.isLeft(person)) return person
  try {
    return await enter(parts, call, person.right, singleSignOn)
  } catch (error) {
    // Nothing is known to have been recorded, and a further sign-in is not a repetition.
    if (error instanceof StoreUnavailable) return E.left(UNREAD)
    throw error
  }
}

export const singleSignOnRoutes: readonly Route<Parts>[] = [
  post('/api/login/oidc/start', {
    id: 'startSingleSignOn',
    summary: 'Begin a single sign-on',
    guide: 'single-sign-on.md',
    description:
      'Keep `transaction`, which is valid for ten minutes, and go to `url`. The provider sends the browser back to `/login/callback`, with what `POST /api/login/oidc/finish` needs.',
    roles: 'anyone',
    ...withoutBody,
    answer: refTo('SignOnStart'),
    refusals: ['oidc_not_configured', 'provider_unavailable'],
    handler: start,
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
    handler: finish,
  }),
]
