import type { Readable } from '../service/api.ts'
import type { Change } from './news.ts'

/** Which changes concern what is shown. */
export interface About {
  /** The object to read again because of a change; undefined where the change does not matter. */
  readonly of: (change: Change) => string | undefined
  /** Whether anybody sees that object now. What nobody sees is read again later. Without it, all are seen. */
  readonly isInView?: ((id: string) => boolean) | undefined
}

export interface Source extends Readable {
  /** The place in the log that all answers have reached. */
  readonly reached: () => string
}

/** What is to be read, and when again. Its key says what it is: the same key is read once, however many show it. */
export interface Query<A> extends About {
  readonly key: string
  /** Reads objects by their ids, or everything. `before` is what was read last. */
  readonly read: (source: Source, ids: readonly string[] | undefined, before: A | undefined) => Promise<A>
  /** What a component showed of another key of the same family stays until this one was read, such as of another hour. */
  readonly family?: string
  /** Whether it stays while nobody shows it, and is shown at once when somebody does again. */
  readonly isKept?: boolean
  /** Milliseconds after which it is read again without news; undefined where only news matter. */
  readonly again?: (value: A, before: A | undefined) => number | undefined
}

export const NOTHING: About = { of: () => undefined }

/** Objects of some kinds. */
export const ofKinds = (...kinds: readonly Change['kind'][]): About => ({
  of: ({ kind, _id }) => (kinds.includes(kind) ? _id : undefined),
})

/** All machines, and what is reserved of some. */
export const ofSuts = (sutIds: ReadonlySet<string>): About => ({
  of: ({ kind, _id, sut_id }) =>
    kind === 'sut' || (kind === 'sut_reservation' && sut_id !== null && sutIds.has(sut_id)) ? _id : undefined,
})

/** One user. */
export const ofUser = (userId: string): About => ({
  of: ({ kind, _id }) => (kind === 'user' && _id === userId ? _id : undefined),
})

/** One machine, with what is recorded about it. */
export const ofSut = (sutId: string, ...kinds: readonly Change['kind'][]): About => ({
  of: ({ kind, _id, sut_id }) =>
    (sut_id ?? _id) === sutId && (kinds.length === 0 || kinds.includes(kind)) ? _id : undefined,
})
