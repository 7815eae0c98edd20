import { hasSchema, type JsonSchema, schemaOf } from '../../domain/codec/json-schema.ts'
import type { Role } from '../../domain/events/user.ts'
import { TAG } from '../codecs/query.ts'
import { withNotes } from '../documents/openapi/notes.ts'
import type { Route } from '../protocol/route.ts'

/** What an agent gives a tool, by name. */
export type Arguments = Readonly<Record<string, unknown>>

/** What agents can do, each by one of the routes. */
interface Declared {
  readonly route: string
  readonly description: string
  /** Parameters or members of the route, beside the id in its path and the page. */
  readonly offers?: readonly string[]
  /** What is always sent to it. */
  readonly fixed?: Readonly<Record<string, string>>
}

const DECLARED: Readonly<Record<string, Declared>> = {
  find_machines: {
    route: 'listSuts',
    description:
      'The machines of the lab (SUTs) with their _id, name, tags and whether they are online. With free_from and free_to, only those that nobody has in that span. Who has one: list_reservations.',
    offers: ['name', 'tags', 'sut_type', 'is_active', 'monitoring', 'free_from', 'free_to'],
  },
  find_free_time: {
    route: 'findAvailability',
    description:
      'Free windows of machines by criteria (match) or filters, in the next 7 days unless from and to say otherwise. Not needed to get one now: reserve_machine chooses and waits.',
    offers: ['match', 'name', 'tags', 'from', 'to', 'duration', 'after'],
  },
  list_reservations: {
    route: 'listReservations',
    description:
      'Who has which machine: reservations, newest first, with user_name, sut_name and state. current=true: those of now. user_id=me: your own.',
    offers: ['current', 'user_id', 'sut_id', 'from', 'to'],
    fixed: { include: 'names,state' },
  },
  reserve_machine: {
    route: 'createRequest',
    description:
      'Asks for a machine, one by sut_id or any by match such as {"os": "linux", "tags": {"rack": "4"}}, for duration seconds from when you get it. Status granted: you have it now, see sut_reservation_id. Status waiting: call wait_for_machine, or stop_waiting. wait is how many seconds to wait at most, a day unless given; 0 is now or never. It is taken back after keepalive seconds without a connection through Berth. Ask for no longer than you need, and release it when done.',
    offers: ['match', 'sut_id', 'duration', 'wait', 'keepalive'],
  },
  wait_for_machine: {
    route: 'readRequest',
    description:
      'Answers when a request is granted or over, or after wait seconds (50 at most) with its position, why it waits and when to expect it. Call it again while its status is waiting: a request that nobody asks for is passed over.',
    offers: ['wait'],
  },
  stop_waiting: {
    route: 'withdrawRequest',
    description: 'Withdraws a request that waits, so that others move up. If it was granted: release_machine.',
  },
  get_connection: {
    route: 'readConnection',
    description:
      'Host and port at which your reservation reaches its machine, by vnc, rdp, or tcp for all else such as SSH (sut_type), and whether the port is open.',
    offers: ['wait'],
  },
  extend_reservation: {
    route: 'extendReservation',
    description: 'Lets your reservation end later: at end_time, or by so many seconds. Give exactly one of them.',
    offers: ['end_time', 'by'],
  },
  release_machine: {
    route: 'cancelReservation',
    description: 'Gives a machine back: ends your reservation now, or cancels it before its start. Cuts connections.',
  },
  machine_history: {
    route: 'readSutHistory',
    description: 'What happened to a machine, oldest first: changes and reservations, by whom and why.',
    offers: ['from', 'to'],
    fixed: { include: 'names' },
  },
  machine_outages: {
    route: 'readOutages',
    description: 'When a machine was offline and what its probes said, in a span of at most 31 days.',
    offers: ['from', 'to'],
  },
  usage: {
    route: 'reportUsage',
    description:
      'How long machines were held and used in a span, and how many reservations there were, by sut, user or tag.<name>, in buckets of time. For questions such as which machines are idle.',
    offers: ['from', 'to', 'by', 'bucket', 'time_zone'],
  },
}

/** What is sent to reads and changes unless it is given. Clients of the protocol give up after 60 seconds. */
const DEFAULTS: Readonly<Record<string, Arguments>> = { GET: { limit: 20, wait: 25 }, POST: { keepalive: 1_800 } }

/** What means something else here than in programs. */
const WORDS: Readonly<Record<string, string>> = {
  ...{ by: 'Seconds by which the end is to be later.', limit: 'The most entries to return.' },
  tags: 'Only machines with all these tags, such as {"rack": "4"}.',
  user_id: 'Only those of this user; me for your own.',
}

/** As clients are told of a tool. */
export interface ShownTool extends Pick<Declared, 'description'> {
  readonly name: string
  readonly title: string
  readonly inputSchema: JsonSchema
  readonly annotations: Readonly<Record<string, boolean>>
}

export interface Tool {
  readonly shown: ShownTool
  readonly route: Route
  /** What is sent unless the agent says otherwise, and what is always sent. */
  readonly defaults: Arguments
  readonly fixed: Arguments
  /** The argument that is the id in the path, such as `sut_id`; empty if there is none. */
  readonly idName: string
}

type Members = Readonly<Record<string, JsonSchema>>

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

const toTool = (route: Route, name: string, { description, offers = [], fixed = {} }: Declared): Tool => {
  const { method, path, summary: title, isDestructive = false, isIdempotent = false } = route
  const { members, required } = membersOf(route)
  const names = [...offers, ...['limit', 'offset'].filter((each) => each in members)]
  const defaults = Object.entries(DEFAULTS[method] as Arguments).filter(([each]) => names.includes(each))
  const preset = new Map(defaults)
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
  const inputSchema = { type: 'object', properties, required: needed, additionalProperties: false }
  const shown = { name, title, description, inputSchema, annotations: { ...hints, openWorldHint: false } }
  return { shown, route, defaults: Object.fromEntries(defaults), fixed, idName: Object.keys(ofPath)[0] ?? '' }
}

/** Finds the tools whose routes a role may call. */
export const makeTools = (routes: readonly Route[]): ((role: Role) => readonly Tool[]) => {
  const make = (): readonly Tool[] =>
    Object.entries(DECLARED).map(([name, declared]) => {
      const route = routes.find(({ id }) => id === declared.route)
      if (route === undefined) throw new TypeError(`there is no route ${declared.route}`)
      return toTool(route, name, declared)
    })
  let tools: readonly Tool[] | undefined
  return (role) => {
    tools ??= make()
    return tools.filter(({ route: { roles } }) => roles.includes(role))
  }
}
