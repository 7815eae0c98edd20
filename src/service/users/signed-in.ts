import type { TokenDocument } from '../../../projections/token.ts'
import type { Views } from '../../read-models/views.ts'
import { makeTokens, type Tokens } from '../../users/tokens.ts'
import type { User } from '../../users/user.ts'
import type { Users } from '../../users/users.ts'

/** Tells whether those who were authenticated still may what they then might. */
export interface SignedIn {
  readonly isCurrent: (user: User) => boolean
  /** Whether the token of a user has expired. Looks at the clock only. */
  readonly hasExpired: (user: User) => boolean
  /** Calls the listener when that may have changed. Returns a function that ends this. */
  readonly onChange: (listener: () => void) => () => void
}

interface SignedInOptions {
  readonly users: Pick<Users, 'byId' | 'onChange'>
  readonly views: Pick<Views, 'newest' | 'caughtUp' | 'watch'>
  /** Unix milliseconds. */
  readonly clock: () => number
}

/** Knows users by their object, which a change replaces, and tokens by their document. */
export const makeSignedIn = ({ users, views, clock }: SignedInOptions): SignedIn & { readonly tokens: Tokens } => {
  const tokens = makeTokens({
    find: (id) => {
      const version = views.newest('token', id)
      return version && (JSON.parse(version.document) as TokenDocument)
    },
    isReady: views.caughtUp,
    users,
    clock,
  })
  return {
    tokens,
    isCurrent: (user) => {
      const { token } = user
      return token === undefined ? users.byId(user._id) === user : tokens.isCurrent({ ...user, token })
    },
    hasExpired: ({ expires }) => expires !== undefined && expires <= clock(),
    onChange: (listener) => {
      const stopUsers = users.onChange(listener)
      const stopTokens = views.watch((events) => {
        if (events.some(({ type }) => type === 'TokenRevoked')) listener()
      })
      return () => {
        stopUsers()
        stopTokens()
      }
    },
  }
}
