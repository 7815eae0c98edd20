import * as E from 'fp-ts/lib/Either.js'
import { failure } from '../../../domain/failure.ts'
import { tokenDecider } from '../../../domain/token/decide.ts'
import { tokenStream } from '../../../domain/values/ids.ts'
import { formatMilliseconds } from '../../../domain/values/instant.ts'
import { type IssuedSession, isOfSession } from '../../../users/login-sessions.ts'
import type { User } from '../../../users/user.ts'
import { withoutBody } from '../../codecs/bodies.ts'
import { type Login, type Logout, loginBody, logoutBody } from '../../codecs/login.ts'
import { type Declaration, everyone, post, refTo } from '../../protocol/declaration.ts'
import { SESSION_ENDED } from '../../protocol/problem.ts'
import { type Call, NO_STORE, type RouteResponse, type RouteResult } from '../../protocol/route.ts'
import type { Parts } from '../parts.ts'

/** The response to a login. */
export const sessionResponse = ({ _id, name, role }: User, { session, expires }: IssuedSession): RouteResponse => ({
  status: 200,
  body: JSON.stringify({ _id, name, role, session, expires_at: formatMilliseconds(expires) }),
  headers: NO_STORE,
})

const NO_SESSION = failure('forbidden', 'Only a session can do this. Sign in with POST /api/login.')
const NO_SESSION_TO_END = failure(
  'forbidden',
  'This request has no session to end. With {"everywhere":true} it ends all sessions of the user.',
)

const ended = (everywhere: boolean): RouteResponse => ({ status: 200, body: JSON.stringify({ everywhere }) })

const signIn = async ({ sessions }: Parts, { body, caller }: Call<Login>): RouteResult => {
  const admitted = await caller().signIn(body)
  if (E.isLeft(admitted)) return admitted
  return E.right(sessionResponse(admitted.right, await sessions.begin(admitted.right, { renewable: true })))
}

const renew = async ({ sessions }: Parts, { user }: Call): RouteResult => {
  if (!isOfSession(user)) return E.left(NO_SESSION)
  const renewed = sessions.renew(user)
  return renewed === undefined ? E.left(SESSION_ENDED) : E.right(sessionResponse(user, renewed))
}

/** What is recorded for a logout. A repeated request ends nothing more, so its idempotency key is not recorded. */
const envelopeOf = ({ user, requestId, reason, client }: Call) => ({ actor: user, requestId, reason, client })

const signOut = async ({ runner, users, views, renewEpoch }: Parts, call: Call<Logout>): RouteResult => {
  const { user, body } = call
  if (body.everywhere === true) {
    const renewed = await renewEpoch(user._id, envelopeOf(call))
    if (E.isLeft(renewed)) return renewed
    await users.refresh()
    return E.right(ended(true))
  }
  if (!isOfSession(user)) return E.left(NO_SESSION_TO_END)
  const { _id, renewableUntil } = user.session
  const session = { _id, user_id: user._id, session_until: formatMilliseconds(renewableUntil) }
  const command = { type: 'EndSession', session } as const
  const outcome = await runner.run(tokenDecider, tokenStream(user._id), { ...envelopeOf(call), command })
  if (E.isLeft(outcome)) return outcome
  // From then on this instance refuses it too.
  await views.waitForStorePosition(outcome.right.storePosition)
  return E.right(ended(false))
}

export const login = post({
  path: '/api/login',
  id: 'login',
  summary: 'Sign in with a name and a password',
  description:
    'Begins a session for twelve hours, which `POST /api/login/renew` extends, until seven days after the login at most. Send `session` as a Bearer token. An Idempotency-Key is ignored.',
  roles: 'anyone',
  body: loginBody,
  answer: refTo('LoginSession'),
  refusals: ['unauthenticated', 'too_many_attempts'],
  handler: signIn,
})

export const sessionRoutes: readonly Declaration<Parts>[] = [
  post({
    path: '/api/login/renew',
    id: 'renewSession',
    summary: 'Extend your session',
    description:
      'The session keeps its id, and its previous token stays valid until it expires. A session that cannot be extended is returned with the time at which it expires.',
    roles: everyone,
    isForPeople: true,
    ...withoutBody,
    answer: refTo('LoginSession'),
    handler: renew,
  }),
  post({
    path: '/api/logout',
    id: 'logout',
    summary: 'End your session, or all of your sessions',
    description:
      'What was opened with a session ends with it. Without a session, a user with a password may still end all of its sessions. Tokens stay.',
    roles: everyone,
    isForPeople: true,
    body: logoutBody,
    isBodyOptional: true,
    answer: refTo('Logout'),
    handler: signOut,
  }),
]
