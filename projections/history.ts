import { listenPortProjection } from './listen-port.ts'
import type { Projection, Row } from './projection.ts'
import { reservationProjection } from './reservation.ts'
import { sessionProjection } from './session.ts'
import { type SutInternal, sutProjection } from './sut.ts'
import { userProjection } from './user.ts'

/** A changed value, before and after; `null` if there was none. */
export type ValueChange =
  | { readonly path: string; readonly from: unknown; readonly to: unknown }
  /** A changed secret. Its value is never shown. */
  | { readonly path: string; readonly changed: true }

/** Projections whose rows appear in histories. */
export const historyProjections: readonly Projection[] = [
  sutProjection,
  listenPortProjection,
  reservationProjection,
  sessionProjection,
  userProjection,
]

/** Fields left out of histories: the event itself has its id and time. */
const IGNORED = ['_id', 'created_at', 'updated_at', 'removed_at', 'erased_at']

type Members = Readonly<Record<string, unknown>>

const isObjectOrAbsent = (value: unknown): value is Members | undefined =>
  value === undefined || (typeof value === 'object' && value !== null)

/** Escapes a part of a JSON Pointer (RFC 6901). */
const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

const diffMembers = (before: Members, after: Members, path: string): readonly ValueChange[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name): readonly ValueChange[] => {
    const at = `${path}/${escapePointer(name)}`
    const [from, to] = [before, after].map((of) => (Object.hasOwn(of, name) ? of[name] : undefined))
    // Between an object and null, such as a quota and the service's own, what matters is which of both it is.
    if (isObjectOrAbsent(from) && isObjectOrAbsent(to)) return diffMembers(from ?? {}, to ?? {}, at)
    const change = { path: at, from: from ?? null, to: to ?? null }
    return change.from === change.to ? [] : [change]
  })

/** The document, and of a SUT the settings that it omits. */
const comparable = ({ document, internal }: Row = { document: {}, internal: {} }): Members => {
  const { settings = {} }: Partial<Pick<SutInternal, 'settings'>> = internal
  return Object.fromEntries(Object.entries({ ...document, ...settings }).filter(([name]) => !IGNORED.includes(name)))
}

/** Lists the differences between two versions of an object. */
export const diffRows = (before: Row | undefined, after: Row | undefined): readonly ValueChange[] =>
  diffMembers(comparable(before), comparable(after), '')
