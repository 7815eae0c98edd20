import * as t from 'io-ts'
import { integer, listOf, matching, opaqueId } from '../../domain/codec/codec.ts'
import { isAssignedId } from '../../domain/values/ids.ts'
import { type Command, CommandFailure, type Terminal } from '../terminal/command.ts'
import { answer, CallRefused, type CallRoute, findId, findNamed, line, makeCall } from '../terminal/service.ts'

const Changed = answer({ path: line }, { from: t.unknown, to: t.unknown, changed: t.literal(true) })

/** A CloudEvent, which histories extend. */
const HistoryEvent = answer(
  {
    ...{ time: line, actor: line, actorrole: line, data: t.UnknownRecord },
    type: matching('type', /^berth\.[A-Za-z]{1,64}$/, 'must be berth. and the type of an event'),
  },
  { reason: line, actorname: line, changes: listOf(Changed) },
)
type HistoryEvent = t.TypeOf<typeof HistoryEvent>

const Page = answer({ events: listOf(HistoryEvent), count: integer(0, Number.MAX_SAFE_INTEGER) }, {})

/** Events in a response. */
const PAGE_SIZE = 200

const KINDS = ['sut', 'sut_reservation', 'user'] as const

/** Refusals of an id that may be that of another kind, which has a history for this user. */
const OF_OTHERS = ['sut_not_found', 'reservation_not_found', 'user_not_found', 'forbidden']

const readPage = (call: CallRoute, kind: string, id: string, offset: number) => {
  const path = `/api/${kind}/${encodeURIComponent(id)}/history?limit=${PAGE_SIZE}&offset=${offset}`
  return call({ path, answer: Page })
}

/** The kind and the id of what is meant, and the first page of its history. @throws CommandFailure if there is none */
const findHistory = async (call: CallRoute, typed: string) => {
  const named = isAssignedId(typed) ? undefined : await findNamed(call, ['sut', 'user'], typed)
  const id = named?._id ?? typed
  let refused = `the service knows no SUT, reservation or user ${JSON.stringify(typed)}`
  for (const kind of named === undefined ? KINDS : [named.kind]) {
    try {
      return { kind, id, first: await readPage(call, kind, id, 0) }
    } catch (error) {
      const isOfOther = error instanceof CallRefused && OF_OTHERS.includes(error.code)
      if (named !== undefined || !isOfOther) throw error
      if (error.code === 'forbidden') refused = error.message
    }
  }
  throw new CommandFailure(refused)
}

async function* readHistory(call: CallRoute, typed: string): AsyncGenerator<HistoryEvent> {
  const { kind, id, first } = await findHistory(call, typed)
  let page = first
  for (let offset = PAGE_SIZE; ; offset += PAGE_SIZE) {
    yield* page.events
    if (offset >= page.count) return
    page = await readPage(call, kind, id, offset)
  }
}

type Change = NonNullable<HistoryEvent['changes']>[number]

const describeChange = ({ path, from = null, to = null, changed }: Change): string => {
  const name = path.slice(1)
  if (changed) return `${name} changed`
  // The first value has no predecessor.
  return from === null ? `${name}: ${JSON.stringify(to)}` : `${name}: ${JSON.stringify(from)} -> ${JSON.stringify(to)}`
}

/** What an event decided that changes no member. */
const describeDecisions = ({ type, data }: HistoryEvent): readonly string[] => {
  const { changed } = (data.credentials ?? {}) as { readonly changed?: unknown }
  return [
    ...(data.beyond_quota === true ? ['beyond_quota: true'] : []),
    ...(data.reservations === undefined ? [] : [`reservations: ${JSON.stringify(data.reservations)}`]),
    // A new user has no session.
    ...(type === 'berth.UserChanged' && Array.isArray(changed) && changed.includes('epoch') ? ['sessions ended'] : []),
  ]
}

/** Time, user, event, changes and reason, separated by tabs. */
const lineOf = (event: HistoryEvent): string => {
  const { time, actor, actorname = actor, actorrole, type, changes = [], reason } = event
  const why = reason === undefined ? [] : [JSON.stringify(reason)]
  const what = [...changes.map(describeChange), ...describeDecisions(event)].join(', ')
  return [time, `${actorname} (${actorrole})`, type.slice('berth.'.length), what, ...why].join('\t')
}

const Held = answer({ _id: opaqueId, user_id: opaqueId, user_name: line, start_time: line, end_time: line }, {})
const Reservations = answer({ sut_reservations: listOf(Held) }, {})

const printHolder = async (
  call: CallRoute,
  typed: string,
  held_at: string,
  isJson: boolean,
  { stdout }: Terminal,
): Promise<void> => {
  const query = new URLSearchParams({ sut_id: await findId(call, 'sut', typed), held_at, include: 'names' })
  const listed = await call({ path: `/api/sut_reservation?${query}`, answer: Reservations })
  if (isJson) return stdout(`${JSON.stringify(listed)}\n`)
  const [held] = listed.sut_reservations
  if (held === undefined) return stdout('nobody\n')
  const { user_name, user_id, _id, start_time, end_time } = held
  stdout(`${[user_name, user_id, _id, start_time, end_time].join('\t')}\n`)
}

export const historyCommand: Command = {
  name: 'history',
  operands: ['NAME'],
  options: { at: { type: 'string' }, json: { type: 'boolean' } },
  summary: 'shows what happened to a SUT, a reservation or a user',
  example: 'history lab-1',
  help: `
Prints the events of the SUT, reservation or user with this id, or of the SUT or user with this name now, oldest first,
one a line: time, user, event, changes, and the reason if one was given, separated by tabs. It asks the service on
BERTH_DATA, or the one at BERTH_URL.

With --at and a time, NAME is that of a SUT, or its id, and one line says who held it then: the user's name and id, the
id of the reservation, and its window, or "nobody". With --json it prints what GET /api/sut_reservation answers.

Without --at, each line of --json is the CloudEvent that GET /api/sut/<id>/history returns, with "changes" and, if it is
known, "actorname".`,
  run: async ({ operands: [typed = ''], options }, config, terminal) => {
    const isJson = options.json === true
    const call = makeCall(config, terminal)
    if (options.at !== undefined) return printHolder(call, typed, String(options.at), isJson, terminal)
    for await (const event of readHistory(call, typed))
      terminal.stdout(`${isJson ? JSON.stringify(event) : lineOf(event)}\n`)
  },
}
