import { scalar } from '../codec/codec.ts'
import { patternOf } from '../codec/json-schema.ts'
import { isNewUserName, NEW_USER_NAME, TOKEN_PREFIX } from '../values/user-name.ts'

const RULE =
  'must be 1 to 128 characters, without ":", invisible characters or lone surrogates, without white space at either end, not begin with "berth_", and not mix scripts, such as Latin and Cyrillic'

/** The name of a new user, or a user's new name. */
export const NewUserName = scalar(
  'user name',
  (u): u is string => typeof u === 'string' && isNewUserName(u),
  RULE,
  () => ({
    ...{ type: 'string', pattern: patternOf(NEW_USER_NAME), not: { pattern: patternOf(TOKEN_PREFIX) } },
    description: 'Does not mix scripts, such as Latin and Cyrillic.',
  }),
)
