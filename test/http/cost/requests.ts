import { hasSchema, type JsonSchema, schemaOf } from '../../../src/domain/codec/json-schema.ts'
import type { Operation } from '../../../src/http/protocol/route.ts'
import { basic } from '../client.ts'
import { addressOf, catalogue } from '../routes/catalogue.ts'
import { type Awkward, filled, HEADER, IN_FIELDS, IN_PATHS, type Made, PATH, QUERY, type Things } from './awkward.ts'
import { bodies } from './bodies.ts'
import { upgrades } from './upgrades.ts'

const HOST = 'Host: berth\r\n'
const CREDENTIALS = `Authorization: ${basic('admin')}\r\n`
const JSON_TYPE = 'Content-Type: application/json\r\n'

export const pathOf = (path: string, { sut, reservation, ticket }: Things): string =>
  addressOf(path.replace(':ticket', ticket), {
    ...{ sut, reservation, series: reservation, request: reservation, user: reservation, token: reservation },
  })

/** Every header field that the service or its libraries read. */
const FIELDS =
  'Accept,Authorization,Berth-After,Berth-Reason,Connection,Content-Type,Content-Encoding,Cookie,Expect,Host,Idempotency-Key,If-Match,If-None-Match,Last-Event-ID,Origin,Sec-Fetch-Site,traceparent,Transfer-Encoding,X-Forwarded-For,X-Other'.split(
    ',',
  )
const BEFORE: Readonly<Record<string, readonly string[]>> = {
  Accept: ['', 'a/b;a="', `${'"'.repeat(HEADER / 2)}`],
  Authorization: ['Basic '],
  'Content-Type': ['', 'application/json;', 'application/json; charset="'],
  'Idempotency-Key': ['', '"'],
}

const headOf = (line: string, isAnyones: boolean, fields: string): string =>
  `${line} HTTP/1.1\r\n${/^host:/im.test(fields) ? '' : HOST}${isAnyones || /^authorization:/im.test(fields) ? '' : CREDENTIALS}${fields}`

const request = (line: string, isAnyones: boolean, fields = '', body = ''): Buffer => {
  const type = line.startsWith('POST') && !/^content-type:/im.test(fields) ? JSON_TYPE : ''
  const frame =
    line.startsWith('POST') && !/^transfer-encoding:/im.test(fields) ? `Content-Length: ${body.length}\r\n` : ''
  return Buffer.from(`${headOf(line, isAnyones, fields)}${type}${frame}\r\n${body}`, 'latin1')
}

const fields = (things: Things): readonly Made[] => {
  const lines = ['GET /health/live', `GET /api/sut/${things.sut}`, `POST /api/sut/${things.sut}/update`]
  const connection = `GET /api/sut_reservation/${things.reservation}/connection`
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
          what: `${line.replace(things.sut, ':id').replace(things.reservation, ':id')} with ${name}: ${before.slice(0, 30)}${unit}...`,
          bytes: (share: number, isAnyones: boolean) => {
            const room = HEADER * share - before.length * share
            const start = before.slice(0, before.length > 100 ? before.length * share : before.length)
            return request(line, isAnyones, `${name}: ${start}${filled(unit, room)}\r\n`, '{}')
          },
        })),
      ),
    ),
  )
}

const IN_QUERIES = ['a&', '&', '=', '%41&', '%zz&', '%ff&', '+', 'a', '%41', ',', '__proto__=1&']
const IN_VALUES = [
  'a',
  '1',
  '%25',
  '%41',
  ':60.1',
  '2030-',
  '9999-12-31T23:59:59.',
  'berth.SutCreated,',
  '%F0%9F%98%80',
]

const parametersOf = ({ query }: Operation): readonly string[] => {
  if (query === undefined || !hasSchema(query)) return []
  const { properties = {}, patternProperties } = schemaOf(query) as Record<string, JsonSchema>
  return [...Object.keys(properties), ...(patternProperties === undefined ? [] : ['tag.a'])]
}

const queries = (things: Things): readonly Made[] =>
  catalogue.flatMap((route) => {
    const line = `${route.method} ${pathOf(route.path, things)}`
    const awkward = (text: string, label = text): Made => ({
      what: `${route.method} ${route.path}?${label}...`,
      bytes: (share, isAnyones) => request(`${line}?${text.slice(0, QUERY * share)}`, isAnyones, '', '{}'),
    })
    const named = parametersOf(route)
    return [
      ...IN_QUERIES.map((unit) => awkward(filled(unit, QUERY), unit)),
      ...named.flatMap((name) => [
        ...IN_VALUES.map((unit) => awkward(`${name}=${filled(unit, QUERY)}`, `${name}=${unit}`)),
        awkward(filled(`${name}=1&`, QUERY), `${name}=1&${name}=1`),
      ]),
      ...(named.includes('type') ? [awkward(filled('type=berth.SutCreated&', QUERY), 'type=berth.SutCreated&')] : []),
      ...(named.includes('tag.a')
        ? [awkward(Array.from({ length: 900 }, (_, i) => `tag.${i}=1`).join('&'), 'tag.0=1&tag.1=1&')]
        : []),
    ]
  })

const paths = (): readonly Made[] =>
  [...catalogue, { method: 'OPTIONS', path: '/:x' }, { method: 'GET', path: '/:x' }].flatMap(({ method, path }) =>
    /:\w+/.test(path)
      ? IN_PATHS.map((unit) => ({
          what: `${method} ${path} of ${unit}...`,
          bytes: (share: number, isAnyones: boolean) =>
            request(`${method} ${path.replace(/:\w+/, filled(unit, PATH * share))}`, isAnyones, '', '{}'),
        }))
      : [],
  )

const posts = (things: Things): readonly Made[] =>
  catalogue
    .filter(({ method }) => method === 'POST')
    .flatMap(({ path }) =>
      bodies.map(({ what, text }) => ({
        what: `POST ${path} of ${what}`,
        bytes: (share: number, isAnyones: boolean) =>
          request(`POST ${pathOf(path, things)}`, isAnyones, '', Buffer.from(text(share)).toString('latin1')),
      })),
    )

const CHUNKED = 'Transfer-Encoding: chunked\r\n'

const chunked = (things: Things): readonly Made[] =>
  [1, 2, 16, 1_024].flatMap((size) =>
    [`POST /api/sut/${things.sut}/update`, 'GET /health/live'].map((line) => ({
      what: `${line.replace(things.sut, ':id')} with a body in chunks of ${size}`,
      bytes: (share: number, isAnyones: boolean) => {
        const chunk = `${size.toString(16)}\r\n${' '.repeat(size)}\r\n`
        const body = `${chunk.repeat((256_000 * share) / size)}0\r\n\r\n`
        return Buffer.concat([request(line, isAnyones, CHUNKED), Buffer.from(body)])
      },
    })),
  )

const many = (): readonly Made[] => [
  {
    what: 'GET /health/live with a hundred fields',
    bytes: (share, isAnyones) => request('GET /health/live', isAnyones, 'a: b\r\n'.repeat(97 * share)),
  },
  {
    what: 'GET /health/live with seven thousand fields',
    bytes: (share, isAnyones) => request('GET /health/live', isAnyones, 'a:\r\n'.repeat(7_000 * share)),
  },
  ...['Accept', 'Forwarded', 'X-Forwarded-For', 'If-None-Match'].map((name) => ({
    what: `GET /health/live with ${name} ninety times`,
    bytes: (share: number, isAnyones: boolean) =>
      request('GET /health/live', isAnyones, `${name}: ${filled(',', 300)}\r\n`.repeat(90 * share)),
  })),
]

/** All requests, each with and without credentials. */
export const awkwardRequests = (things: Things): readonly Awkward[] =>
  [
    ...[...fields(things), ...queries(things), ...paths(), ...posts(things), ...chunked(things), ...many()],
    ...upgrades(things),
  ].flatMap(({ what, bytes }) =>
    [true, false].map((isAnyones) => ({
      what: isAnyones ? `${what}, without credentials` : what,
      isAnyones,
      bytes: (share: number) => bytes(share, isAnyones),
    })),
  )
