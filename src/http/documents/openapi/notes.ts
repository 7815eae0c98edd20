/** Descriptions of parameters of paths and of members, by name. Those of query parameters are with their codecs. */

import type { JsonSchema } from '../../../domain/codec/json-schema.ts'
import { noteOn } from '../../../domain/events/notes.ts'

const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  id: 'The _id of the object.',
  token: 'The _id of the token.',
  code: 'A problem code.',
  ticket: 'What POST /api/sut_reservation/{id}/console returned in `url`. It is the credential.',
  chapter: 'The name of a chapter, such as reservations.',
  picture: 'The name of a picture that a chapter shows.',
  digest: 'The digest of all files of the page, as the page has it. What stands below it never changes.',
  file: 'An event type and the version of its shape, such as `ReservationCreated.1.json`.',
  name: 'The name of a file of the page.',
}

const MEMBERS: Readonly<Record<string, string>> = {
  events: 'Events of the log, in its order.',
  next: 'The position to continue after.',
  caught_up: 'Whether the page reached the end of the log.',
  _id: 'Assigned by the service.',
  start_time: 'The start of the window (inclusive).',
  end_time: 'The end of the window (exclusive).',
  planned_end_time: 'The end as it was before a release; otherwise the same as end_time.',
  start_in: 'The start in seconds from now.',
  enabled: 'Whether the SUT is probed.',
  interval: 'Seconds between probes; 60 by default.',
  host: 'What to connect to; null where this instance does not forward the SUT.',
  open: 'Whether this instance listens on the port and forwards it.',
  bound: 'Whether the reservation is bound to the address of a client.',
  bound_here: 'Whether it is bound to the address that this request came from.',
  connections: 'How many connections: those open at this instance, or all of a session.',
  last_error:
    'The last time this instance could not reach the SUT for a client, and why; port_taken while another program has the port.',
  url: 'The path of a WebSocket, which contains the ticket, or the address at which the provider signs people in.',
  transaction: 'What the end of the sign-in needs of its beginning, encrypted.',
  state: 'As the provider sent it back.',
  iss: 'As the provider sent it back, if it did.',
  expires_at: 'The time from which the ticket, token or session is no longer valid; null if it does not expire.',
  expires_in: 'Seconds until the token expires; without it, it does not.',
  token: 'The token, shown once.',
  session: 'The session, to be sent as a Bearer token.',
  everywhere: 'Whether all sessions of the user end.',
  revoked_at: 'The time of revocation.',
  revoke_tokens: 'Whether the tokens of the user are revoked too.',
  listen_port: 'The port on which a gateway exposes the SUT. The SUT keeps it until it is retired.',
  instance: 'The request id, or the instance that forwarded the connections.',
  cause: 'What ended the last connection, a reservation, or a request before its time; or why a probe failed.',
  password: 'Stored encrypted and never returned.',
  user_name: 'Stored encrypted and never returned.',
  monitoring: 'What probes found.',
  old_password: 'The current password.',
  reservations: 'Whether to keep the reservations that are not over, or to cancel them.',
  cancelled: 'The number of reservations that were cancelled because they had not started.',
  released: 'The number of running reservations that were ended.',
  removed_at: 'The time of removal.',
  erased_at: 'The time from which the name and password are deleted.',
  settings:
    'What administrators set and the SUT does not show otherwise. Others see turnaround and release_unused_after alone.',
  released_unused_at: 'When the reservation is released unless somebody connects; null if it is not.',
  turnaround: 'Seconds between two reservations, rounded up to whole quarter-hours.',
  monitoring_interval: 'Seconds between probes; null if the SUT is not monitored.',
  has_password: 'Whether the vault has a password that is not empty.',
  has_user_name: 'Whether the vault has a user name that is not empty.',
  tags: 'Names and values for finding the SUT.',
  outages: 'When it was offline, in order. to is null while that lasts.',
  unknown: 'When it was not monitored, or not probed yet.',
  count: 'The number of matches, regardless of the page.',
  suts: 'SUTs, in the order of the request or of the list.',
  users: 'Users, in the order of the request or of the list.',
  dry_run: 'Whether to check the rows only.',
  code: 'The stable code of the problem, or the code that the provider sent back.',
  errors: 'The first 100 problems of the request.',
  errors_count: 'The total number of problems.',
  conflicts:
    'The first 100 conflicting reservations, by start. turnaround: the windows do not overlap, but are too close.',
  free_until: 'Where what is free from the start of the window ends; null if its start is taken.',
  next_available: 'The first free window of the same length, with its SUT if criteria were sent.',
  match: 'What any SUT must be, in place of sut_id. Fields are compared as names of users are, tags exactly.',
  matching: 'The number of SUTs that fit the criteria.',
  longest: 'The longest window that one of them has free from the start of the window; null if none is free then.',
  extendable_until: 'The latest possible end.',
  by: 'Who released or cancelled the reservation; null if nobody did.',
  beyond_quota: 'Whether it is made beyond the quota of its holder and does not count. Only administrators may set it.',
  keepalive:
    'Seconds after which the reservation is released unless it is kept alive meanwhile. A request with it is passed over likewise while it waits.',
  position: 'How many requests rank before it that share a SUT with it which fits both.',
  waits_for: 'Why it waits, in sentences.',
  expected_at: 'When it is granted if nothing else happens; null if that cannot be said.',
  used: 'What the user has reserved: hours in that week, and reservations that are not over.',
  week: 'The ISO week whose hours are used up; null if there are too many reservations.',
}

/** Members that mean something else in events. What is neither here nor above is described as there. */
const UNLIKE_EVENTS = ['name', 'from', 'to', 'scope']

const noteOnMember = (name: string): string | undefined =>
  MEMBERS[name] ?? (UNLIKE_EVENTS.includes(name) ? undefined : noteOn('', name)?.[0])

export const noteOnPathParameter = (name: string): string | undefined => PATH_PARAMETERS[name]

export const withNotes = (schema: JsonSchema): JsonSchema => {
  const { properties, oneOf } = schema
  const members = Object.entries((properties ?? {}) as Readonly<Record<string, JsonSchema>>).map(([name, member]) => [
    name,
    '$ref' in member ? member : { description: noteOnMember(name), ...member },
  ])
  return {
    ...schema,
    ...(properties !== undefined && { properties: Object.fromEntries(members) }),
    ...(Array.isArray(oneOf) && { oneOf: oneOf.map((one: JsonSchema) => withNotes(one)) }),
  }
}
