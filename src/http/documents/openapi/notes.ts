import type { JsonSchema } from '../../../domain/codec/json-schema.ts'

/** Descriptions of parameters and members, by name. An operation can override them. */

const PARAMETERS: Readonly<Record<string, string>> = {
  id: 'The _id.',
  code: 'The code of a refusal.',
  chapter: 'The name of a chapter, such as reservations.',
  file: 'As `ReservationCreated.1.json`: the type of an event and the version of its shape.',
  limit: 'The most entries of one answer; 100 unless given.',
  offset: 'How many entries are skipped. Not beside before.',
  before: 'Goes on behind the entry with this _id, without the cost and drift of an offset.',
  sut_id: 'Those of this SUT.',
  user_id: 'Those of the user who holds, or held, the reservation.',
  from: 'The beginning of the span. In an address the + of an offset is written %2B.',
  to: 'The end of the span, which does not belong to it.',
  current: 'Those that run now.',
  sut_type: 'Those of this kind.',
  is_active: 'Those that are active, or that are not.',
  name: 'Those with this as a part of their name, in any case of letters.',
  duration: 'Seconds: the shortest window that is wanted; 900 unless given.',
  as_of: 'The state as of a date-time, or as of a position in the log.',
  after: 'The place in the log to go on from: the next of a page, or a Berth-Position; latest is the end.',
  type: 'Events of this type; may be given several times.',
  follow: 'Goes on live, after everything up to now.',
  event: 'The id of an event.',
  size: 'The size of the tree; that of the log unless given.',
}

const MEMBERS: Readonly<Record<string, string>> = {
  next: 'The place to go on from.',
  caught_up: 'Whether there was nothing more.',
  _id: 'Assigned by the service.',
  created_at: 'When it was made.',
  updated_at: 'When it was last changed.',
  start_time: 'The start of the window, which belongs to it.',
  end_time: 'The end of the window, which does not belong to it.',
  start_in: 'Seconds from now.',
  duration: 'Seconds.',
  user_id: 'The user who holds the reservation.',
  sut_id: 'The SUT that is reserved.',
  listen_port: 'The port on which a gateway offers the SUT: one for its life.',
  address: 'A host name or an IP address.',
  port: 'The port at that address.',
  is_active: 'Whether it takes reservations.',
  password: 'Kept encrypted, and never shown again.',
  user_name: 'Kept encrypted, and never shown again.',
  monitoring: 'Whether it was reached. Berth does not probe yet.',
  tags: 'Names and values to find it by.',
  count: 'How many match, whatever part of them is shown.',
  code: 'What it is refused for, in a word that stays.',
  instance: 'The id of the request.',
  errors: 'What is wrong with the request, and where: the first hundred problems.',
  errors_count: 'How many problems there are.',
  conflicts: 'The reservations in the way, the first 100 by start.',
  next_available: 'The first free window of the same length.',
  extendable_until: 'The latest end that is possible.',
}

export const noteOnParameter = (name: string): string | undefined => PARAMETERS[name]

const noted = (schema: unknown, note: string | undefined): unknown =>
  note === undefined || typeof schema !== 'object' || schema === null || '$ref' in schema
    ? schema
    : { description: note, ...schema }

/** Adds the descriptions to a schema. */
export const withNotes = (schema: JsonSchema): JsonSchema => {
  const { properties, oneOf } = schema
  return {
    ...schema,
    ...(typeof properties === 'object' &&
      properties !== null && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, member]) => [name, noted(member, MEMBERS[name])]),
        ),
      }),
    ...(Array.isArray(oneOf) && { oneOf: oneOf.map((one: JsonSchema) => withNotes(one)) }),
  }
}
