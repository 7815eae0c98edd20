import { boolean, matching, text } from '../../domain/codec/codec.ts'
import { closed } from '../../domain/codec/object-codec.ts'
import { CONTROL, classExcluding, single } from '../../domain/values/characters.ts'
import { NAME_MAX } from '../../users/basic.ts'
import { type BodyOf, bodyOf } from './body.ts'

/** Codecs of the bodies of logins. */

/** Any spelling of a name, as in Basic credentials. */
const LoginName = matching(
  'login name',
  new RegExp(`^[${classExcluding([...CONTROL, single(':')])}]{1,${NAME_MAX}}$`, 'u'),
  `must be 1 to ${NAME_MAX} characters, without ":" or control characters`,
)

export const loginBody = bodyOf(closed('Login', { name: LoginName, password: text(0, 1024) }, {}))
export type Login = BodyOf<typeof loginBody>

/** What a browser brings from the provider. Codes of some providers have two thousand characters. */
export const signOnEndBody = bodyOf(
  closed(
    'SignOnEnd',
    { code: text(1, 4_096), state: text(1, 256), transaction: text(1, 1_024) },
    { iss: text(1, 2_048) },
  ),
)
export type SignOnEnd = BodyOf<typeof signOnEndBody>

export const logoutBody = bodyOf(closed('Logout', {}, { everywhere: boolean }))
export type Logout = BodyOf<typeof logoutBody>
