import type * as t from 'io-ts'
import { type Closed, closed, type Fields } from '../codec/object-codec.ts'
import { sutStream } from '../values/ids.ts'

/** Kinds of objects that events are about. Those of `KINDS` are told of as `/api/changes` names them. */
export const KINDS = ['sut', 'sut_reservation', 'sut_request', 'session', 'user'] as const
export type ChangeKind = (typeof KINDS)[number]
export type ObjectKind = ChangeKind | 'series' | 'token'

/** `users`, or the name under which the service itself, or a command typed on its machine, records something. */
type Recorder = 'users' | 'berth' | 'schedule' | 'monitor' | 'gateway' | 'oidc' | 'command-line'

/** What is true of all events of a type. `D` is their data. */
export interface Facts<D> {
  /** What the `_id` of the data names, if there is one. */
  readonly object?: ObjectKind
  /** Whether the `_id` of the data, or else its `sut_id`, is new: no event before has assigned it. */
  readonly assigns?: true
  /** Whether the event creates the object with which its command is answered. */
  readonly creates?: true
  /** Whether everything that is shown of the object stays as it was. */
  readonly changesNothing?: true
  /** Whether the object at this event is not what a repeated request is answered with. */
  readonly answersNothing?: true
  readonly isIn: (stream: string, data: D) => boolean
  readonly by: readonly Recorder[]
  /** Its row in the guide, in Markdown: when it is recorded, and what its data has apart from ids. */
  readonly guide: `${string} | ${string}`
  /** A member that is left out of the example, because another one is in its place. */
  readonly notInExample?: string
  /**
   * The members that each version of the shape added, from the second on, as paths. None where only values were added:
   * `match` has null. `event-store/stored-event.ts` reads older versions.
   */
  readonly added?: readonly (readonly string[])[]
}

/** A type of event: the codec of its data at the newest version of its shape, and what else there is to know of it. */
export interface EventDeclaration<C extends t.Mixed = t.Mixed> extends Facts<t.TypeOf<C>> {
  readonly data: C
}

/** Declares a type of event by the members that its data has, those that it may have, and the facts. */
export const declare = <R extends Fields, O extends Fields = Record<never, never>>({
  members,
  optional,
  ...facts
}: Facts<NoInfer<Closed<R, O>>> & { readonly members: R; readonly optional?: O }): EventDeclaration<
  t.Type<Closed<R, O>, unknown, unknown>
> => ({
  data: closed('data', members, (optional ?? {}) as O),
  ...facts,
})

export const inStream =
  (name: string): Facts<unknown>['isIn'] =>
  (stream) =>
    stream === name

export const inStreamOfSut = (stream: string, data: { readonly sut_id: string } | { readonly _id: string }): boolean =>
  stream === sutStream('sut_id' in data ? data.sut_id : data._id)
