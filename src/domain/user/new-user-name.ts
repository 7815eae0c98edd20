import * as t from 'io-ts'
import { markPlain } from '../codec/codec.ts'
import { patternOf, withSchema } from '../codec/json-schema.ts'
import { isNewUserName, NEW_USER_NAME, TOKEN_PREFIX } from '../values/user-name.ts'

const RULE =
  'must be 1 to 128 characters, without ":", invisible characters or lone surrogates, without white space at either end, not begin with "berth_", and not mix scripts, such as Latin and Cyrillic'

const isName = (u: unknown): u is string => typeof u === 'string' && isNewUserName(u)

/** The name of a new user, or a user's new name. */
export const NewUserName = markPlain(
  withSchema(
    new t.Type('user name', isName, (u, c) => (isName(u) ? t.success(u) : t.failure(u, c, RULE)), t.identity),
    () => ({
      ...{ type: 'string', pattern: patternOf(NEW_USER_NAME), not: { pattern: patternOf(TOKEN_PREFIX) } },
      description: 'Does not mix scripts, such as Latin and Cyrillic.',
    }),
  ),
)
