import { hasSchema, type JsonSchema, schemaOf } from '../../../src/domain/codec/json-schema.ts'
import type { Operation } from '../../../src/http/protocol/route.ts'
import { basic } from '../../http/client.ts'
import { addressOf, catalogue } from '../../http/routes/catalogue.ts'

/** Requests of the largest size that are expensive to read: some for every route. */

interface Kind {
  readonly what: string
  /** The request with a `share` of the largest size, 1 for all of it. */
  readonly bytes: (share: number, isAnyones: boolean) => Buffer
}

export interface Costly {
  readonly what: string
  /** Whether it has no credentials. */
  readonly isAnyones: boolean
  readonly bytes: (share: number) => Buffer
}

/** The ids in the paths, and the ticket of a console. */
export interface Things {
  readonly sut: string
  readonly reservation: string
  readonly ticket: string
}

/** Bytes and members left within the limits beside the rest of a request. */
const [HEADER, QUERY, PATH, BODY, MEMBERS] = [31_000, 7_900, 7_900, 261_000, 9_900]

const repeated = (unit: string, length: number): string => unit.repeat(Math.floor(length / unit.length))

type Fields = Readonly<Record<string, string | readonly string[]>>

/** Without other fields, that of a client which is understood. */
const requestOf = (line: string, isAnyones: boolean, fields: Fields = {}, body = ''): Buffer => {
  const isPost = line.startsWith('POST')
  const all: Fields = {
    Host: 'berth',
    ...(!isAnyones && { Authorization: basic('admin') }),
    ...(isPost && { 'Content-Type': 'application/json' }),
    ...(isPost && fields['Transfer-Encoding'] === undefined && { 'Content-Length': String(body.length) }),
    ...fields,
  }
  const lines = Object.entries(all).flatMap(([name, values]) => [values].flat().map((value) => `${name}: ${value}\r\n`))
  return Buffer.from(`${line} HTTP/1.1\r\n${lines.join('')}\r\n${body}`, 'latin1')
}

const pathOf = (path: string, { sut, reservation, ticket }: Things): string =>
  addressOf(path.replace(':ticket', ticket), {
    ...{ sut, reservation, series: reservation, request: reservation, user: reservation, token: reservation },
  })

/** Every header field that the service or its libraries read. */
const FIELDS =
  'Accept,Authorization,Berth-After,Berth-Reason,Connection,Content-Type,Content-Encoding,Cookie,Expect,Host,Idempotency-Key,If-Match,If-None-Match,Last-Event-ID,Origin,Sec-Fetch-Site,traceparent,Transfer-Encoding,X-Forwarded-For,X-Other'.split(
    ',',
  )
/** What comes before the repeated text. */
const BEFORE: Readonly<Record<string, readonly string[]>> = {
  Accept: ['', 'a/b;a="'],
  Authorization: ['Basic '],
  'Content-Type': ['', 'application/json;', 'application/json; charset="'],
  'Idempotency-Key': ['', '"'],
}
const IN_FIELDS = [
  ...['"', ',', '",', ',""', 'a/b,', '*/*,', '*/*;q=0.1,', 'application/json;a=b,', ';', ';a=b', 'a=b;', '\\', '"\\'],
  ...[' ', '\t,', 'for=127.0.0.1,', '127.0.0.1,', '[::1],', '::', '%41', '%', '"1",', 'W/"1",', 'a', '0'],
]

const ofFields = ({ sut, reservation }: Things): readonly Kind[] => {
  const lines = ['GET /health/live', `GET /api/sut/${sut}`, `POST /api/sut/${sut}/update`]
  const connection = `GET /api/sut_reservation/${reservation}/connection`
  /** Routes that read more of a field than the others. */
  const furtherReaders: Readonly<Record<string, readonly string[]>> = {
    Accept: ['GET /api/events', connection],
    'Last-Event-ID': ['GET /api/events'],
    Host: [connection],
  }
  return FIELDS.flatMap((name) =>
    (BEFORE[name] ?? ['']).flatMap((before) =>
      IN_FIELDS.flatMap((unit) =>
        [...lines, ...(furtherReaders[name] ?? [])].map((line) => ({
          what: `${line.replace(sut, ':id').replace(reservation, ':id')} with ${name}: ${before}${unit}...`,
          bytes: (share: number, isAnyones: boolean) =>
            requestOf(line, isAnyones, { [name]: before + repeated(unit, HEADER * share) }, '{}'),
        })),
      ),
    ),
  )
}

const manyFields = (): readonly Kind[] => {
  const live = (what: string, fields: (share: number) => Fields): Kind => ({
    what: `GET /health/live with ${what}`,
    bytes: (share, isAnyones) => requestOf('GET /health/live', isAnyones, fields(share)),
  })
  const times = (count: number, value: string): readonly string[] => Array.from({ length: count }, () => value)
  return [
    live('a hundred fields', (share) => ({ a: times(97 * share, 'b') })),
    live('six thousand fields', (share) => ({ a: times(6_000 * share, '') })),
    ...['Accept', 'Forwarded', 'X-Forwarded-For', 'If-None-Match'].map((name) =>
      live(`${name} ninety times`, (share) => ({ [name]: times(90 * share, repeated(',', 300)) })),
    ),
  ]
}

const IN_QUERIES = ['a&', '&', '=', '%41&', '%zz&', '%ff&', '+', 'a', '%41', ',', '__proto__=1&']
const DATES = [':60.1', '2030-', '9999-12-31T23:59:59.']
const IN_VALUES = ['a', '1', '%25', '%41', ...DATES, 'berth.SutCreated,', '%F0%9F%98%80']

const parametersOf = ({ query }: Operation): readonly string[] => {
  if (query === undefined || !hasSchema(query)) return []
  const { properties = {}, patternProperties } = schemaOf(query) as Record<string, JsonSchema>
  return [...Object.keys(properties), ...(patternProperties === undefined ? [] : ['tag.a'])]
}

const ofQueries = (things: Things): readonly Kind[] =>
  catalogue.flatMap((route) => {
    const queries = [
      ...IN_QUERIES.map((unit) => repeated(unit, QUERY)),
      ...parametersOf(route).flatMap((name) => [
        ...IN_VALUES.map((unit) => `${name}=${repeated(unit, QUERY - name.length)}`),
        repeated(`${name}=1&`, QUERY),
      ]),
      repeated('type=berth.SutCreated&', QUERY),
      Array.from({ length: 900 }, (_, i) => `tag.${i}=1`).join('&'),
    ]
    return queries.map((query) => ({
      what: `${route.method} ${route.path}?${query.slice(0, 30)}...`,
      bytes: (share: number, isAnyones: boolean) => {
        const address = `${pathOf(route.path, things)}?${query.slice(0, QUERY * share)}`
        return requestOf(`${route.method} ${address}`, isAnyones, {}, '{}')
      },
    }))
  })

const IN_PATHS = ['/', 'a', '%41', '%', '../', '/api/sut', '//', '%2f', '%00', '%F0%9F%98%80']

const ofPaths = (): readonly Kind[] =>
  [...catalogue, { method: 'OPTIONS', path: '/:x' }, { method: 'GET', path: '/:x' }]
    .filter(({ path }) => path.includes(':'))
    .flatMap(({ method, path }) =>
      IN_PATHS.map((unit) => ({
        what: `${method} ${path} of ${unit}...`,
        bytes: (share: number, isAnyones: boolean) =>
          requestOf(`${method} ${path.replace(/:\w+/, repeated(unit, PATH * share))}`, isAnyones, {}, '{}'),
      })),
    )

type Text = (share: number) => string

const members =
  (count: number, member: (i: number) => string): Text =>
  (share) =>
    `{${Array.from({ length: count * share }, (_, i) => member(i)).join(',')}}`

const around =
  (before: string, unit: string, after: string, size = BODY): Text =>
  (share) =>
    `${before}${repeated(unit, size * share - before.length - after.length)}${after}`

const NAMES = 'name,address,description,password,user_id,start_time,end_time,sut_type'.split(',')
const IN_STRINGS = ['a', 'a.', '1.', '1:', '::', 'a-', '0x1.', ':60.1', '2030-05-02T::::', ' 00', '\\u0041']

/** Bodies of the largest size that is read, each expensive to parse in its own way. */
const BODIES: Readonly<Record<string, Text>> = {
  'unknown members': members(MEMBERS, (i) => `"${i.toString(36)}":0`),
  'twice the limit of members': members(20_000, (i) => `"${i.toString(36)}":0`),
  'members with long names': members(7_000, (i) => `"${i}~/~/~/~/~/~/~/~/~/":0`),
  'members with numeric names': members(MEMBERS, (i) => `"${i * 65_536}":0`),
  'members with escaped names': members(MEMBERS, (i) => `"\\u0000\\u0000${i}":{}`),
  tags: members(MEMBERS, (i) => `"t${i}":""`),
  'tags to be removed': members(MEMBERS, (i) => `"t${i}":null`),
  'tags with wrong names and values': members(MEMBERS, (i) => `"?${i}":1`),
  'one member repeated': around('{', '"a":0,', '"a":0}', 50_000),
  '__proto__ repeated': around('{', '"__proto__":0,', '"a":0}', 120_000),
  'a long list': around('{"a":[', '0,', '0]}', 19_000),
  'a list of objects': around('{"a":[', '{},', '{}]}', 29_000),
  brackets: around('', '[', ''),
  'open objects': around('', '{"a":', ''),
  quotes: around('', '"', ''),
  blanks: around('{', ' ', '}'),
  'a number of many digits': around('{"port":', '1', '}'),
  'a fraction of many digits': around('{"port":0.', '1', '}'),
  'an exponent of many digits': around('{"port":1e', '1', '}'),
  'a string of escapes': around('{"name":"', '\\ud800', '"}'),
  'a string that never ends': around('"', '\\', ''),
  ...Object.fromEntries(
    NAMES.flatMap((name) =>
      IN_STRINGS.map((unit) => [`${name} of ${unit}...`, around(`{"${name}":"`, unit, '"}')] as const),
    ),
  ),
}

const ofBodies = (things: Things): readonly Kind[] =>
  catalogue
    .filter(({ method }) => method === 'POST')
    .flatMap(({ path }) =>
      Object.entries(BODIES).map(([what, text]) => ({
        what: `POST ${path} of ${what}`,
        bytes: (share: number, isAnyones: boolean) =>
          requestOf(`POST ${pathOf(path, things)}`, isAnyones, {}, text(share)),
      })),
    )

const ofChunks = ({ sut }: Things): readonly Kind[] =>
  [1, 2, 16, 1_024].flatMap((size) =>
    [`POST /api/sut/${sut}/update`, 'GET /health/live'].map((line) => ({
      what: `${line.replace(sut, ':id')} with a body in chunks of ${size}`,
      bytes: (share: number, isAnyones: boolean) => {
        const chunk = `${size.toString(16)}\r\n${' '.repeat(size)}\r\n`
        const body = `${chunk.repeat((256_000 * share) / size)}0\r\n\r\n`
        return requestOf(line, isAnyones, { 'Transfer-Encoding': 'chunked' }, body)
      },
    })),
  )

/** Refused whatever else is right, so that no request opens a console. */
const UPGRADE: Fields = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Protocol': 'x',
}

/** Upgrades to a console, for which the ticket in the path is the credential. */
const ofUpgrades = ({ ticket }: Things): readonly Kind[] => {
  const upgrade = (what: string, fields: (share: number) => Fields): Kind => ({
    what: `GET /api/console/:ticket to be upgraded, with ${what}`,
    bytes: (share, isAnyones) =>
      requestOf(`GET /api/console/${isAnyones ? 'x' : ticket}`, true, { ...UPGRADE, ...fields(share) }),
  })
  // Different names: the same one twice is refused sooner.
  const protocols = (share: number): string => Array.from({ length: 6_000 * share }, (_, i) => i.toString(36)).join()
  return [
    ...[...Object.keys(UPGRADE), 'Host', 'Accept', 'Origin', 'Sec-WebSocket-Extensions'].flatMap((name) =>
      IN_FIELDS.map((unit) =>
        upgrade(`${name}: ${unit}...`, (share) => ({ [name]: repeated(unit, (HEADER - 1_000) * share) })),
      ),
    ),
    upgrade('thousands of protocols', (share) => ({ 'Sec-WebSocket-Protocol': protocols(share) })),
    // A long ticket is not looked at; one of the longest size is.
    ...[PATH, 2_040].flatMap((length) =>
      [...IN_PATHS, 'a.', '.', 'A', '-', '_', 'W10.'].map((unit) => ({
        what: `GET /api/console/ of ${length} of ${unit}..., to be upgraded`,
        bytes: (share: number) => requestOf(`GET /api/console/${repeated(unit, length * share)}`, true, UPGRADE),
      })),
    ),
  ]
}

/** All requests, each with and without credentials. */
export const costlyRequests = (things: Things): readonly Costly[] =>
  [
    ...[...ofFields(things), ...manyFields(), ...ofQueries(things), ...ofPaths()],
    ...[...ofBodies(things), ...ofChunks(things), ...ofUpgrades(things)],
  ].flatMap(({ what, bytes }) =>
    [true, false].map((isAnyones) => ({
      what: isAnyones ? `${what}, without credentials` : what,
      isAnyones,
      bytes: (share: number) => bytes(share, isAnyones),
    })),
  )
