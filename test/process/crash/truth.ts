import type { Answer } from '../../http/client.ts'
import type { Row } from '../log-rows.ts'

/** A request of the load, and its answer, if any. */
export interface Attempt {
  readonly kind: 'reserve' | 'update' | 'create'
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
  readonly key: string | undefined
  answer?: Answer
}

/** Idempotency keys that are in the log twice. `verify` finds everything else that is wrong with a log in itself. */
export const repeatedKeys = (rows: readonly Row[]): readonly string[] => {
  const keyed = rows.flatMap(({ type, metadata: { key } }) => (key === undefined ? [] : [`${type} ${key}`]))
  return [...Map.groupBy(keyed, (key) => key)].flatMap(([key, { length }]) =>
    length > 1 ? [`an idempotency key is recorded ${length} times: ${key}`] : [],
  )
}

type Logged = ReadonlyMap<string, readonly Row[]>

/** The events by the values with which an answer identifies them. */
const logged = (rows: readonly Row[]): Logged =>
  Map.groupBy(rows, (row) => {
    switch (row.type) {
      case 'ReservationCreated':
      case 'SutCreated':
        return `${row.type} ${row.data._id}`
      case 'SutUpdated':
        return `SutUpdated ${row.data._id} ${row.data.description}`
      default:
        return 'other'
    }
  })

const EVENTS = { reserve: 'ReservationCreated', create: 'SutCreated', update: 'SutUpdated' } as const

const acknowledgedProblems = ({ kind, body }: Attempt, answer: Answer, log: Logged): readonly string[] => {
  const answered = answer.json
  const name = `${EVENTS[kind]} ${answered._id}${kind === 'update' ? ` ${body.description}` : ''}`
  const found = log.get(name) ?? []
  if (found.length !== 1) return [`acknowledged, but ${found.length} times in the log: ${name}`]
  const data = found[0]?.data as Record<string, unknown>
  const differing = Object.keys(body).filter((field) => data[field] !== body[field] || answered[field] !== body[field])
  return differing.map((field) => `${name} has another ${field} than requested`)
}

/** The reservation that a refusal names must be in the log and overlap the request. */
const refusedProblems = ({ body }: Attempt, answer: Answer, log: Logged): readonly string[] => {
  const { conflicts } = answer.json as unknown as { conflicts: { _id: string; start_time: string; end_time: string }[] }
  const [first] = conflicts
  if (first === undefined) return ['a refusal names no conflict']
  const doesOverlap =
    Date.parse(first.start_time) < Date.parse(String(body.end_time)) &&
    Date.parse(first.end_time) > Date.parse(String(body.start_time))
  return [
    ...(log.has(`ReservationCreated ${first._id}`) ? [] : [`refused for ${first._id}, which is not in the log`]),
    ...(doesOverlap ? [] : [`refused for ${first._id}, which does not overlap`]),
  ]
}

/** While writes fail, no answer may deny a recorded write. A port whose SUT was never created does not count. */
const troubleProblems = ({ kind }: Attempt, answer: Answer, rows: readonly Row[]): readonly string[] => {
  const { code, instance } = answer.json
  if (code === 'outcome_unknown') return []
  const isRecorded = rows.some(
    ({ type, metadata }) => type !== 'ListenPortAssigned' && metadata.request_id === instance,
  )
  if (isRecorded) return [`a ${kind} was answered ${code}, but is in the log`]
  return code === 'store_full' || code === 'unavailable' ? [] : [`a ${kind} was answered ${answer.text}`]
}

/** Answers that contradict the log. Unexpected errors are allowed only with `isTrouble`. */
export const problemsOfAnswers = (
  attempts: readonly Attempt[],
  rows: readonly Row[],
  isTrouble = false,
): readonly string[] => {
  const log = logged(rows)
  return attempts.flatMap((attempt) => {
    const { answer, kind } = attempt
    if (answer === undefined) return []
    if (answer.status === 200 || answer.status === 201) return acknowledgedProblems(attempt, answer, log)
    if (answer.json.code === 'reservation_conflict') return refusedProblems(attempt, answer, log)
    if (isTrouble && answer.status === 503) return troubleProblems(attempt, answer, rows)
    return [`a ${kind} was answered ${answer.status}: ${answer.text}`]
  })
}
