import type * as t from 'io-ts'
import { boolean, matching, text } from '../../domain/codec/codec.ts'
import { closed } from '../../domain/codec/object-codec.ts'
import { CONTROL, classExcluding, single } from '../../domain/values/characters.ts'
import { NAME_MAX } from '../../users/basic.ts'
import { bodyOf } from './body.ts'

/** Codecs of the bodies of logins. */

/** Any spelling of a name, as in Basic credentials. */
const LoginName = matching(
  'login name',
  new RegExp(`^[${classExcluding([...CONTROL, single(':')])}]{1,${NAME_MAX}}$`, 'u'),
  `must be 1 to ${NAME_MAX} characters, without ":" or control characters`,
)

const Login = closed('Login', { name: LoginName, password: text(0, 1024) }, {})
/** What a browser brings from the provider. Codes of some providers have two thousand characters. */
const SignOnEnd = closed(
  'SignOnEnd',
  { code: text(1, 4_096), state: text(1, 256), transaction: text(1, 1_024) },
  { iss: text(1, 2_048) },
)
const Logout = closed('Logout', {}, { everywhere: boolean })

export type Login = t.TypeOf<typeof Login>
export type SignOnEnd = t.TypeOf<typeof SignOnEnd>
export type Logout = t.TypeOf<typeof Logout>

export const loginBody = bodyOf(Login)
export const signOnEndBody = bodyOf(SignOnEnd)
/** May be left out. */
export const logoutBody = bodyOf(Logout)
