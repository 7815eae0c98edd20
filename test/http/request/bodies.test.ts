/** Bodies, their sizes and media types, in updates of an unknown SUT: a well-formed body gets 404. */

import { gzipSync } from 'node:zlib'
import test from 'ava'
import { MEMBERS_MAX } from '../../../src/http/request/read-body.ts'
import { type Answer, basic, type Headers } from '../client.ts'
import { said } from '../lab.ts'
import { aSut } from '../requests.ts'
import { exchange } from '../server/raw-http.ts'
import { sharedService } from '../shared.ts'

const service = sharedService()

const PATH = '/api/sut/58c38f5d444553252cce0000/update'
const READ = '404 sut_not_found'
const NOT_READ = '415 unsupported_media_type'
const TOO_LARGE = '413 body_too_large'
const JSON_TYPE = 'application/json'

const send = (
  body: string | Uint8Array | undefined,
  headers: Headers = { 'Content-Type': JSON_TYPE },
): Promise<Answer> => service.as('admin').request('POST', PATH, headers, body)

const MALFORMED: Readonly<Record<string, string | Uint8Array>> = {
  'an empty body': '',
  'a blank': ' ',
  'an unclosed object': '{"name":"a"',
  'two objects': '{}{}',
  'a trailing comma': '{"name":"a",}',
  'a single-quoted name': "{'name':'a'}",
  'a comment': '{/**/}',
  NaN: '{"port":NaN}',
  'a number with a leading zero': '{"port":01}',
  'a control character in a string': '{"name":"a\u0001"}',
  'an invalid escape': '{"name":"\\x41"}',
  'a byte order mark alone': '\ufeff',
  'two byte order marks': '\ufeff\ufeff{}',
  'UTF-16': Buffer.from('{}', 'utf16le'),
  'a lone continuation byte': Buffer.from([0x7b, 0x22, 0x80, 0x22, 0x3a, 0x31, 0x7d]),
  'an overlong slash': Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')]),
  'a surrogate in UTF-8': Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
  '250,000 brackets': '['.repeat(250_000),
}

test('what is malformed JSON is refused', async (t) => {
  for (const [what, body] of Object.entries(MALFORMED)) t.is(said(await send(body)), '400 malformed_json', what)
})

const WELL_FORMED: Readonly<Record<string, readonly [body: string, answer: string]>> = {
  'an empty object': ['{}', READ],
  'an object after a byte order mark': ['\ufeff{}', READ],
  'surrounding white space': [' \r\n\t{ } \n', READ],
  'a repeated member whose last value is valid': ['{"port":0,"port":1}', READ],
  'a repeated member whose last value is invalid': ['{"port":1,"port":0}', '422 invalid #/port'],
  'an escaped member name': ['{"\\u006eame":"\\ud83d\\udda5"}', READ],
  'half a surrogate pair': ['{"name":"\\ud83d"}', '422 invalid #/name'],
  'an unknown member named by half a surrogate pair': ['{"\\ud83d":1}', '422 field_unknown #/%EF%BF%BD'],
  'an unknown member without a name': ['{"":1}', '422 field_unknown #/'],
  'members named like those of Object.prototype': [
    '{"constructor":1,"toString":1,"__proto__":1}',
    '422 field_unknown #/constructor #/toString #/__proto__',
  ],
  'a whole number with a fraction of zero': ['{"port":1.0}', READ],
  'a whole number with an exponent': ['{"port":5902e0}', READ],
  'a number beyond the range of doubles': ['{"port":1e999}', '422 invalid #/port'],
  'a number with a fraction': ['{"port":1.5}', '422 invalid #/port'],
  'a string': ['"{}"', '422 invalid #'],
  'a number': ['1', '422 invalid #'],
  'a list of one object': ['[{}]', '422 invalid #'],
}

test('what is well-formed is read as JSON', async (t) => {
  for (const [what, [body, answer]] of Object.entries(WELL_FORMED)) t.is(said(await send(body)), answer, what)
})

/** An unknown member, so that the body has been read. */
const SEEN = '422 field_unknown #/nothing'

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  'application/json': SEEN,
  'application/json; charset=utf-8': SEEN,
  'application/json;charset="UTF-8"': SEEN,
  'Application/JSON': SEEN,
  'application/json;': SEEN,
  'application/json; ;': SEEN,
  'application/json; charset=utf8': SEEN,
  'application/json; charset=utf-8;': SEEN,
  'application/json; charset': NOT_READ,
  'application/json; charset=utf-80': NOT_READ,
  'application/merge-patch+json': SEEN,
  'text/plain': NOT_READ,
  'application/x-www-form-urlencoded': NOT_READ,
  'application/jsonp': NOT_READ,
  'text/json': NOT_READ,
  'application/json, text/plain': NOT_READ,
  'application/json; charset=latin1': NOT_READ,
  ';;;': NOT_READ,
  json: NOT_READ,
}

test('a body of type JSON is read, however that is spelled, and no other', async (t) => {
  for (const [type, answer] of Object.entries(MEDIA_TYPES))
    t.is(said(await send('{"nothing":1}', { 'Content-Type': type })), answer, type)
})

test('a body without a media type is 415, and a missing body 400', async (t) => {
  t.is(said(await send('{}', {})), NOT_READ)
  t.is(said(await send(undefined, {})), '400 malformed_json')
})

test('a body with a content coding is refused, whatever its size', async (t) => {
  for (const size of [1, 10 * 1024 * 1024]) {
    const body = gzipSync(JSON.stringify(aSut({ description: 'a'.repeat(size) })))
    const answer = await send(body, { 'Content-Type': JSON_TYPE, 'Content-Encoding': 'gzip' })
    t.is(said(answer), NOT_READ)
  }
  for (const coding of ['br', 'deflate', 'x-nothing', 'GZIP', 'gzip, gzip']) {
    const answer = await send('{}', { 'Content-Type': JSON_TYPE, 'Content-Encoding': coding })
    t.is(said(answer), NOT_READ, coding)
  }
  for (const coding of ['identity', 'Identity', '']) {
    const answer = await send('{}', { 'Content-Type': JSON_TYPE, 'Content-Encoding': coding })
    t.is(said(answer), READ, coding)
  }
})

test('the error for malformed JSON gives the offset and quotes nothing, because bodies contain passwords', async (t) => {
  for (const body of ['{"password":hunter2}', '{"password":"hunter2"x}', '{"password":"hunter2']) {
    const { text, json } = await send(body)
    t.notRegex(text, /hunter2/)
    t.regex(String(json.detail), /at offset \d+|ends too early/)
  }
})

const LIMIT = 262_144

test('a body of 256 KiB is read, and one byte more is refused', async (t) => {
  t.is(said(await send('{}'.padEnd(LIMIT))), READ)
  t.is(said(await send('{}'.padEnd(LIMIT + 1))), TOO_LARGE)
})

test('the limit counts bytes, not characters', async (t) => {
  const pad = (count: number): string => `{"description":"${'\u{1f5a5}'.repeat(count)}"}`
  t.is(said(await send(pad(65_000))), '422 invalid #/description')
  t.is(said(await send(pad(66_000))), TOO_LARGE)
})

/** The body in chunks of 64 KiB, without a declared length. */
const chunked = (body: string): string => {
  const head = `POST ${PATH} HTTP/1.1\r\nHost: berth\r\nAuthorization: ${basic('admin')}\r\nContent-Type: ${JSON_TYPE}\r\n`
  let chunks = ''
  for (let at = 0; at < body.length; at += 65_536) {
    const chunk = body.slice(at, at + 65_536)
    chunks += `${chunk.length.toString(16)}\r\n${chunk}\r\n`
  }
  return `${head}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`
}

test('the limit applies to a chunked body too', async (t) => {
  for (const [size, expected] of [
    [LIMIT, READ],
    [LIMIT + 1, TOO_LARGE],
    [LIMIT * 8, TOO_LARGE],
  ] as const) {
    const answer = await exchange(service.port, chunked('{}'.padEnd(size)))
    t.is(answer && said(answer), expected)
  }
})

const nested = (depth: number): string => `${'[{"a":'.repeat(depth / 2)}0${'}]'.repeat(depth / 2)}`

test('a body of 32 levels is read, and a deeper one is refused', async (t) => {
  t.is(said(await send(`{"name":${nested(30)},"model":"${'['.repeat(100)}"}`)), '422 invalid #/name')
  for (const body of [`{"a":${nested(32)}}`, nested(34), '['.repeat(LIMIT), nested(60_000)]) {
    const answer = await send(body)
    t.is(said(answer), '400 malformed_json')
    t.regex(String(answer.json.detail), /32 levels/)
  }
})

test('a body of 10,000 members and elements is read, and one with more is refused', async (t) => {
  const members = (count: number): string => `{${Array.from({ length: count }, (_, i) => `"${i}":0`).join()}}`
  const { status, json } = await send(members(MEMBERS_MAX))
  t.deepEqual([status, json.errors_count, (json.errors as unknown[]).length], [422, 10_000, 100])
  const refused = [members(MEMBERS_MAX + 1), `{"a":[${'0,'.repeat(MEMBERS_MAX)}0]}`, `[${'{"a":[0]},'.repeat(5_000)}0]`]
  for (const body of [...refused, `[${'0 ,\n'.repeat(65_000)}`]) {
    const answer = await send(body)
    t.is(said(answer), '400 malformed_json')
    t.regex(String(answer.json.detail), /10000 members/)
  }
})
