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

type OfType<T extends Row['type']> = Extract<Row, { readonly type: T }>

const ofType = <T extends Row['type']>(rows: readonly Row[], type: T): readonly OfType<T>[] =>
  rows.filter((row): row is OfType<T> => row.type === type)

/** The names that occur more than once. */
const repeated = <A>(things: readonly A[], nameOf: (thing: A) => string | undefined): readonly string[] => {
  const seen = new Set<string>()
  return things.flatMap((thing) => {
    const name = nameOf(thing)
    if (name === undefined || !seen.has(name)) {
      if (name !== undefined) seen.add(name)
      return []
    }
    return [name]
  })
}

const orderProblems = (rows: readonly Row[]): readonly string[] => {
  const heads = new Map<string, Row>()
  return rows.flatMap((row, index) => {
    const { position, previous, stream, revision, isSealed } = row
    const before = heads.get(stream)
    heads.set(stream, row)
    return [
      ...(position === index ? [] : [`position ${position} is where ${index} should be`]),
      ...(revision === (before?.revision ?? -1) + 1
        ? []
        : [`${stream} continues with revision ${revision} at ${position}`]),
      ...(previous === (before?.position ?? null) ? [] : [`the chain of ${stream} is broken at ${position}`]),
      ...(isSealed ? [] : [`the hash at ${position} is not that of its event`]),
    ]
  })
}

const overlapProblems = (rows: readonly Row[]): readonly string[] => {
  const bySut = Map.groupBy(ofType(rows, 'ReservationCreated'), ({ data }) => data.sut_id)
  return [...bySut.values()].flatMap((made) => {
    const windows = made.map(({ data }) => ({
      _id: data._id,
      start: Date.parse(data.start_time),
      end: Date.parse(data.end_time),
    }))
    windows.sort((a, b) => a.start - b.start)
    return windows.flatMap((window, i) => {
      const before = windows[i - 1]
      return before !== undefined && before.end > window.start ? [`${before._id} and ${window._id} overlap`] : []
    })
  })
}

/** The inconsistencies of a log in itself. The load never cancels, extends or retires. */
export const problemsOfLog = (rows: readonly Row[]): readonly string[] => [
  ...orderProblems(rows),
  ...overlapProblems(rows),
  ...repeated(rows, ({ id }) => id).map((id) => `the event ${id} is in the log twice`),
  ...repeated(ofType(rows, 'ReservationCreated'), ({ data }) => data._id).map(
    (id) => `reservation ${id} is created twice`,
  ),
  ...repeated(ofType(rows, 'SutCreated'), ({ data }) => data._id).map((id) => `SUT ${id} is created twice`),
  ...repeated(ofType(rows, 'ListenPortAssigned'), ({ data }) => String(data.listen_port)).map(
    (port) => `port ${port} is assigned twice`,
  ),
  ...repeated(rows, ({ type, metadata }) => metadata.key && `${type} ${metadata.key}`).map(
    (key) => `an idempotency key is recorded twice: ${key}`,
  ),
]

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
