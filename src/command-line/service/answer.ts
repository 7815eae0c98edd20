import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { listOf, matching, text } from '../../domain/codec/codec.ts'

/**
 * A JSON object with at least these members. A newer service may add others, which `--json` shows. Arrays and objects
 * in it come from another machine: each member that a command reads has a codec.
 */
export const answer = <R extends t.Props, O extends t.Props>(required: R, optional: O) =>
  t.intersection([t.type(required), t.partial(optional)])

/** Text of one line, as ids, names and sentences are. */
export const line = text(0, 16_384)

/** A text of several lines. */
export const multiline = text(0, 1_000_000, { lines: true })

/** An answer that no command reads. */
export const unread = t.UnknownRecord

const Refused = answer(
  { code: matching('code', /^[a-z_]{1,64}$/, 'must be a code'), detail: line },
  { errors: listOf(answer({ detail: line }, { pointer: line })) },
)
export type Refused = t.TypeOf<typeof Refused>

/** The body of a refusal by a service; undefined for that of a proxy, or of a server that is not Berth. */
export const readRefusal = (body: unknown): Refused | undefined => {
  const read = Refused.decode(body)
  return E.isRight(read) ? read.right : undefined
}

/** The JSON of a body; undefined if it is none. */
export const parseJson = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** The first problem of an answer, without its value. Parts of an intersection are not places in it. */
export const describeProblem = (errors: t.Errors): string => {
  const { context = [], message = 'is not what was expected' } = errors[0] ?? {}
  const path = context.filter((entry, n) => n > 0 && entry.actual !== context[n - 1]?.actual).map(({ key }) => key)
  return path.length === 0 ? `the answer ${message}` : `"${path.join('.')}" ${message}`
}
