import * as E from 'fp-ts/lib/Either.js'
import { renewEpoch } from '../../../commands/users/renew-epoch.ts'
import { boolean, matching, text } from '../../../domain/codec/codec.ts'
import { closed } from '../../../domain/codec/object-codec.ts'
import { failure } from '../../../domain/failure.ts'
import { tokenDecider } from '../../../domain/token/decide.ts'
import type { User } from '../../../domain/user/user.ts'
import { CONTROL, classExcluding, single } from '../../../domain/values/characters.ts'
import { tokenStream } from '../../../domain/values/ids.ts'
import { formatMilliseconds } from '../../../domain/values/instant.ts'
import { NAME_MAX } from '../../../users/basic.ts'
import { type IssuedSession, isOfSession } from '../../../users/login-sessions.ts'
import { type BodyOf, bodyOf, withoutBody } from '../../codecs/body.ts'
import { type Call, envelopeOf, NO_STORE, type RouteResponse, type RouteResult } from '../../protocol/call.ts'
import { SESSION_ENDED } from '../../protocol/problem.ts'
import { everyone, post, type Route, refTo } from '../../protocol/route.ts'
import type { Parts } from '../parts.ts'

/** Any spelling of a name, as in Basic credentials. */
const LoginName = matching(
  'login name',
  new RegExp(`^[${classExcluding([...CONTROL, single(':')])}]{1,${NAME_MAX}}$`, 'u'),
  `must be 1 to ${NAME_MAX} characters, without ":" or control characters`,
)
const loginBody = bodyOf(closed('Login', { name: LoginName, password: text(0, 1024) }, {}))
const logoutBody = bodyOf(closed('Logout', {}, { everywhere: boolean }))

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

/** A repeated request ends nothing more, so its idempotency key is not recorded. */
const signOut = async (parts: Parts, call: Call<BodyOf<typeof logoutBody>>): RouteResult => {
  const { user, body } = call
  const { everywhere = false } = body
  const envelope = { ...envelopeOf(call), idempotencyKey: undefined }
  if (everywhere) {
    const renewed = await renewEpoch(parts, user._id, envelope)
    if (E.isLeft(renewed)) return renewed
    await parts.users.refresh()
  } else {
    if (!isOfSession(user)) return E.left(NO_SESSION_TO_END)
    const { _id, renewableUntil } = user.session
    const session = { _id, user_id: user._id, session_until: formatMilliseconds(renewableUntil) }
    const command = { type: 'EndSession', session } as const
    const result = await parts.runner.run(tokenDecider, tokenStream(user._id), { ...envelope, command })
    if (E.isLeft(result)) return result
    // From then on this instance refuses it too.
    await parts.views.waitForStorePosition(result.right.storePosition)
  }
  return E.right({ status: 200, body: JSON.stringify({ everywhere }) })
}

export const loginRoutes: readonly Route<Parts>[] = [
  post('/api/login', {
    id: 'login',
    summary: 'Sign in with a name and a password',
    guide: 'people.md#sessions',
    description:
      'Begins a session for twelve hours, which `POST /api/login/renew` extends, until seven days after the login at most. Send `session` as a Bearer token. An Idempotency-Key is ignored.',
    roles: 'anyone',
    body: loginBody,
    answer: refTo('LoginSession'),
    refusals: ['unauthenticated', 'too_many_attempts'],
    handler: async ({ sessions, gate }, { body, request, setUser }) => {
      const admitted = await gate.signIn(request, body)
      if (E.isLeft(admitted)) return admitted
      setUser(admitted.right)
      return E.right(sessionResponse(admitted.right, await sessions.begin(admitted.right, { renewable: true })))
    },
  }),
  post('/api/login/renew', {
    id: 'renewSession',
    summary: 'Extend your session',
    description:
      'The session keeps its id, and its previous token stays valid until it expires. A session that cannot be extended is returned with the time at which it expires.',
    roles: everyone,
    isForPeople: true,
    ...withoutBody,
    answer: refTo('LoginSession'),
    handler: async ({ sessions }, { user }) => {
      if (!isOfSession(user)) return E.left(NO_SESSION)
      const renewed = sessions.renew(user)
      return renewed === undefined ? E.left(SESSION_ENDED) : E.right(sessionResponse(user, renewed))
    },
  }),
  post('/api/logout', {
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
