import { hasSchema, type JsonSchema, schemaOf } from '../../domain/codec/json-schema.ts'
import type { Role } from '../../domain/events/user.ts'
import { TAG } from '../codecs/query.ts'
import { withNotes } from '../documents/openapi/notes.ts'
import type { Route } from '../protocol/route.ts'

/** What an agent gives a tool, by name. */
export type Arguments = Readonly<Record<string, unknown>>

/** The route, the parameters or members of it beside the id in its path and the page, and the words for agents. */
type Declared = readonly [route: string, offers: string, description: string]

/** What agents can do, each by one of the routes. */
const DECLARED: Readonly<Record<string, Declared>> = {
  find_machines: [
    'listSuts',
    'name tags sut_type is_active monitoring free_from free_to',
    'The machines of the lab (SUTs) with their _id, name, tags and whether they are online. With free_from and free_to, only those that nobody has in that span. Who has one: list_reservations.',
  ],
  find_free_time: [
    'findAvailability',
    'match name tags from to duration after',
    'Free windows of machines by criteria (match) or filters, in the next 7 days unless from and to say otherwise. Not needed to get one now: reserve_machine chooses and waits.',
  ],
  list_reservations: [
    'listReservations',
    'current user_id sut_id from to',
    'Who has which machine: reservations, newest first, with user_name, sut_name and state. current=true: those of now. user_id=me: your own.',
  ],
  reserve_machine: [
    'createRequest',
    'match sut_id duration wait keepalive',
    'Asks for a machine, one by sut_id or any by match such as {"os": "linux", "tags": {"rack": "4"}}, for duration seconds from when you get it. Status granted: you have it now, see sut_reservation_id. Status waiting: call wait_for_machine, or stop_waiting. wait is how many seconds to wait at most, a day unless given; 0 is now or never. It is taken back after keepalive seconds without a connection through Berth. Ask for no longer than you need, and release it when done.',
  ],
  wait_for_machine: [
    'readRequest',
    'wait',
    'Answers when a request is granted or over, or after wait seconds (50 at most) with its position, why it waits and when to expect it. Call it again while its status is waiting: a request that nobody asks for is passed over.',
  ],
  stop_waiting: ['withdrawRequest', '', 'Withdraws a request that waits. One that was granted: release_machine.'],
  get_connection: [
    'readConnection',
    'wait',
    'Host and port at which your reservation reaches its machine, by vnc, rdp, or tcp for all else such as SSH (sut_type), and whether the port is open.',
  ],
  extend_reservation: [
    'extendReservation',
    'end_time by',
    'Moves the end later: to end_time, or by seconds. Give one.',
  ],
  release_machine: ['cancelReservation', '', 'Ends your reservation now, or cancels it before its start.'],
  machine_history: ['readSutHistory', 'from to', 'What happened to a machine, oldest first, by whom and why.'],
  machine_outages: ['readOutages', 'from to', 'When a machine was offline and why, in 31 days at most.'],
  usage: [
    'reportUsage',
    'from to by bucket time_zone',
    'How long machines were held and used in a span, and how many reservations there were, by sut, user or tag.<name>, in buckets of time. For questions such as which machines are idle.',
  ],
}

/** What is added to entries of lists. */
const INCLUDE: Readonly<Record<string, string>> = { list_reservations: 'names,state', machine_history: 'names' }

/** What is sent to reads and changes unless it is given. Clients of the protocol give up after 60 seconds. */
const DEFAULTS: Readonly<Record<string, Arguments>> = { GET: { limit: 20, wait: 25 }, POST: { keepalive: 1_800 } }

/** What means something else here than in programs. */
const WORDS: Readonly<Record<string, string>> = {
  limit: 'The most entries to return.',
  tags: 'Only machines with all these tags, such as {"rack": "4"}.',
}

type Members = Readonly<Record<string, JsonSchema>>

export interface Tool {
  /** As clients are told of it. */
  readonly shown: {
    name: string
    title: string
    description: string
    inputSchema: JsonSchema
    annotations: Readonly<Record<string, boolean>>
  }
  readonly route: Route
  /** What is sent unless the agent says otherwise. */
  readonly defaults: Arguments
  /** The argument that is the id in the path, such as `sut_id`; empty if there is none. */
  readonly idName: string
}

/** Without what the route checks anyway, most of what an agent would have to read. */
const concise = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(concise)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(
    ([keyword, limit]) => !/^(?:pattern|propertyNames|m\w+Length)$/.test(keyword) && limit !== Number.MAX_SAFE_INTEGER,
  )
  return Object.fromEntries(kept.map(([keyword, inner]) => [keyword, concise(inner)]))
}

/** Members of a body or query in any of its forms, and which all forms need: clients take no alternatives at the top. */
const membersOf = ({ body, query }: Route) => {
  const decode = body ?? query
  const schema = decode !== undefined && hasSchema(decode) ? withNotes(schemaOf(decode)) : {}
  const forms = (schema.oneOf ?? [schema]) as readonly { properties?: Members; required?: readonly string[] }[]
  const members: Members = Object.assign({}, ...forms.map(({ properties }) => properties))
  return { members, required: forms.map(({ required = [] }) => new Set(required)).reduce((a, b) => a.intersection(b)) }
}

/** The name of an argument in the route. */
export const memberOf = (name: string): string => (name === 'tags' ? TAG : name)

const REASON = { type: 'string', minLength: 1, maxLength: 180, description: 'Why, in a sentence, for the log.' }

const toTool = (route: Route, name: string, offers: string, description: string): Tool => {
  const { method, path, summary: title, isDestructive = false, isIdempotent = false } = route
  const { members, required } = membersOf(route)
  const paging = ['limit', 'offset'].filter((each) => each in members)
  const names = [...(offers.match(/\w+/g) ?? []), ...paging]
  const preset = new Map(Object.entries(DEFAULTS[method] as Arguments).filter(([each]) => names.includes(each)))
  const given = names.map((each) => {
    const { contentSchema, ...member } = members[memberOf(each)] as JsonSchema
    const value = (contentSchema ?? member) as JsonSchema
    const more = { description: WORDS[each] ?? member.description, default: preset.get(each) }
    return [each, concise({ ...value, ...more })]
  })
  const [, kind] = /(\w+)\/:id/.exec(path) ?? []
  const ofPath = kind === undefined ? {} : { [`${kind}_id`]: { type: 'string' } }
  const isRead = method === 'GET'
  const properties = { ...ofPath, ...Object.fromEntries(given), ...(!isRead && { reason: REASON }) }
  const needed = [...Object.keys(ofPath), ...required, ...(isRead ? [] : ['reason'])]
  const hints = { readOnlyHint: isRead, destructiveHint: isDestructive, idempotentHint: isRead || isIdempotent }
  const inputSchema = { type: 'object', properties, required: needed }
  const shown = { name, title, description, inputSchema, annotations: { ...hints, openWorldHint: false } }
  const defaults = { ...Object.fromEntries(preset), ...(name in INCLUDE && { include: INCLUDE[name] }) }
  return { shown, route, defaults, idName: Object.keys(ofPath)[0] ?? '' }
}

/** Finds the tools whose routes a role may call. */
export const makeTools = (routes: readonly Route[]): ((role: Role) => readonly Tool[]) => {
  const make = ([name, [id, offers, description]]: readonly [string, Declared]): Tool =>
    toTool(routes.find((route) => route.id === id) as Route, name, offers, description)
  let tools: readonly Tool[] | undefined
  return (role) => {
    tools ??= Object.entries(DECLARED).map(make)
    return tools.filter(({ route: { roles } }) => roles.includes(role))
  }
}
