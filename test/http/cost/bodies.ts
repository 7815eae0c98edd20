/** A body of the largest size that is read, expensive to parse in its own way. */
interface AwkwardBody {
  readonly what: string
  /** The body with a `share` of the largest size. */
  readonly text: (share: number) => string
}

/** Bytes and members, just below the limits. */
const SIZE = 261_000
const MEMBERS = 9_900

const filled = (unit: string, length: number): string => unit.repeat(Math.floor(length / unit.length))

const members =
  (count: number, member: (i: number) => string) =>
  (share: number): string =>
    `{${Array.from({ length: count * share }, (_, i) => member(i)).join(',')}}`

const around =
  (before: string, unit: string, after: string, size = SIZE) =>
  (share: number): string =>
    `${before}${filled(unit, size * share - before.length - after.length)}${after}`

const FIELDS = 'name,address,description,password,user_id,start_time,end_time,sut_type'.split(',')
const VALUES = ['a', 'a.', '1.', '1:', '::', 'a-', '0x1.', ':60.1', '2030-05-02T::::', ' 00', '\\u0041']

export const bodies: readonly AwkwardBody[] = [
  { what: 'unknown members', text: members(MEMBERS, (i) => `"${i.toString(36)}":0`) },
  { what: 'twice the limit of members', text: members(20_000, (i) => `"${i.toString(36)}":0`) },
  { what: 'members with long names', text: members(7_000, (i) => `"${i}~/~/~/~/~/~/~/~/~/":0`) },
  { what: 'members with numeric names', text: members(MEMBERS, (i) => `"${i * 65_536}":0`) },
  { what: 'members with escaped names', text: members(MEMBERS, (i) => `"\\u0000\\u0000${i}":{}`) },
  { what: 'tags', text: members(MEMBERS, (i) => `"t${i}":""`) },
  { what: 'tags to be removed', text: members(MEMBERS, (i) => `"t${i}":null`) },
  { what: 'tags with wrong names and values', text: members(MEMBERS, (i) => `"?${i}":1`) },
  { what: 'one member repeated', text: around('{', '"a":0,', '"a":0}', 50_000) },
  { what: '__proto__ repeated', text: around('{', '"__proto__":0,', '"a":0}', 120_000) },
  { what: 'a long list', text: around('{"a":[', '0,', '0]}', 19_000) },
  { what: 'a list of objects', text: around('{"a":[', '{},', '{}]}', 29_000) },
  { what: 'brackets', text: around('', '[', '') },
  { what: 'open objects', text: around('', '{"a":', '') },
  { what: 'quotes', text: around('', '"', '') },
  { what: 'blanks', text: around('{', ' ', '}') },
  { what: 'a number of many digits', text: around('{"port":', '1', '}') },
  { what: 'a fraction of many digits', text: around('{"port":0.', '1', '}') },
  { what: 'an exponent of many digits', text: around('{"port":1e', '1', '}') },
  { what: 'a string of escapes', text: around('{"name":"', '\\ud800', '"}') },
  { what: 'a string that never ends', text: around('"', '\\', '') },
  ...FIELDS.flatMap((field) =>
    VALUES.map((unit) => ({ what: `${field} of ${unit}...`, text: around(`{"${field}":"`, unit, '"}') })),
  ),
]
