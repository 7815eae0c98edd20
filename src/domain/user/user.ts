import type { Role, TokenScope } from '../events/user.ts'
import type { Scope } from './scope.ts'
import type { UserState } from './state.ts'

/** Public data of a user. */
export interface User {
  readonly _id: string
  readonly name: string
  readonly role: Role
  /** The tags of the SUTs that it may see; absent if it may see all. */
  readonly scope?: Scope
  /** As in UserState. Tells accesses of one user apart. */
  readonly accessSince: number
  /** The id of the token that stands for it, if one does. */
  readonly token?: string
  /** What that token is limited to; absent if to its role only. */
  readonly tokenScope?: TokenScope
  /** The session that stands for it, if one does. */
  readonly session?: LoginSession
  /** When that token or session expires, in Unix milliseconds. */
  readonly expires?: number
}

/** The user of requests over the control socket. Only those who can read the log and the keys can reach it. */
export const OPERATOR: User = { _id: 'command-line', name: 'command-line', role: 'administrator', accessSince: 0 }

export interface LoginSession {
  readonly _id: string
  /** The id of the user's epoch that it belongs to. */
  readonly epoch: string
  /** Until when it can be renewed, in Unix milliseconds. */
  readonly renewableUntil: number
}

/** A user as events tell, with its name. Without a readable one, the id stands for it. */
export type Member = UserState & { readonly name: string }
