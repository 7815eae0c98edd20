import type { Answer, Client } from '../client.ts'
import type { Asker, Expected } from './askers.ts'

/** The SUT of a request, the reservation on it, and users. */
export interface Things {
  readonly sut: string
  readonly reservation: string
  /** The series on it. */
  readonly series: string
  /** The request that waits for it. */
  readonly request: string
  readonly holder: string
  readonly asker: string
  /** The id of the user that a request is about. */
  readonly user: string
  /** The id of a token of that user. */
  readonly token: string
  /** The id of some event. */
  readonly event: string
}

export interface Entry {
  readonly expected: Readonly<Record<Asker, Expected>>
  /** "Nothing but health checks answers without credentials", and consoles have tickets. */
  readonly withoutCredentials?: Expected
  /** The SUT must have no reservation for this to succeed. */
  readonly isFree?: true
  /** It is about a series. */
  readonly isOfSeries?: true
  /** It is about a request that waits. */
  readonly isOfRequest?: true
  /** It is about a token of the user. */
  readonly isOfToken?: true
  /** Whoever succeeds must sign in again. */
  readonly endsSessions?: true
  /** What succeeds is about a new user: the others are still needed. */
  readonly newUser?: 'present' | 'removed'
  /** "Tokens manage neither passwords nor other users' tokens": what they are answered in place of `expected`. */
  readonly withToken?: Readonly<Partial<Record<Asker, Expected>>>
  /** Only a session can be renewed. */
  readonly withSession?: Readonly<Partial<Record<Asker, Expected>>>
  readonly ask: (client: Client, things: Things) => Promise<Answer>
}
