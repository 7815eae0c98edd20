import { gzipSync } from 'node:zlib'
import test from 'ava'
import type { Answer, Headers } from '../client.ts'
import { type Running, start, tidyingLater } from '../harness.ts'
import { faultsOf, refusalOf } from '../refusals/problems.ts'
import { aSut } from '../requests.ts'

/** Bodies and media types, in updates of an unknown SUT: a well-formed body gets 404. */

const later = tidyingLater()
let service: Running
test.before(async () => {
  service = await start(later)
})
test.after.always(later.tidy)

const PATH = '/api/sut/58c38f5d444553252cce0000/update'
const READ = [404, 'sut_not_found']
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

for (const [what, body] of Object.entries(MALFORMED)) {
  test(`${what} is malformed JSON`, async (t) => {
    const answer = await send(body)
    t.deepEqual(refusalOf(answer), [400, 'malformed_json'])
    t.deepEqual(faultsOf(answer), [])
  })
}

const WELL_FORMED: Readonly<Record<string, readonly [body: string, ...refusal: unknown[]]>> = {
  'an empty object': ['{}', ...READ],
  'an object after a byte order mark': ['\ufeff{}', ...READ],
  'surrounding white space': [' \r\n\t{ } \n', ...READ],
  'a repeated member whose last value is valid': ['{"port":0,"port":1}', ...READ],
  'a repeated member whose last value is invalid': ['{"port":1,"port":0}', 422, 'invalid', '#/port'],
  'an escaped member name': ['{"\\u006eame":"\\ud83d\\udda5"}', ...READ],
  'half a surrogate pair': ['{"name":"\\ud83d"}', 422, 'invalid', '#/name'],
  'an unknown member named by half a surrogate pair': ['{"\\ud83d":1}', 422, 'field_unknown', '#/%EF%BF%BD'],
  'an unknown member without a name': ['{"":1}', 422, 'field_unknown', '#/'],
  'members named like those of Object.prototype': [
    '{"constructor":1,"toString":1,"__proto__":1}',
    422,
    'field_unknown',
    '#/constructor',
    '#/toString',
    '#/__proto__',
  ],
  'a whole number with a fraction of zero': ['{"port":1.0}', ...READ],
  'a whole number with an exponent': ['{"port":5902e0}', ...READ],
  'a number beyond the range of doubles': ['{"port":1e999}', 422, 'invalid', '#/port'],
  'a number with a fraction': ['{"port":1.5}', 422, 'invalid', '#/port'],
  'a string': ['"{}"', 422, 'invalid', '#'],
  'a number': ['1', 422, 'invalid', '#'],
  'a list of one object': ['[{}]', 422, 'invalid', '#'],
}

for (const [what, [body, ...refusal]] of Object.entries(WELL_FORMED)) {
  test(`${what} is read as JSON: ${refusal.join(' ')}`, async (t) => {
    const answer = await send(body)
    t.deepEqual(refusalOf(answer), refusal)
    t.deepEqual(faultsOf(answer), [])
  })
}

test('a body nested 40,000 levels deep is refused as documented', async (t) => {
  for (const [opening, closing] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    const answer = await send(`{"name":${opening.repeat(40_000)}1${closing.repeat(40_000)}}`)
    t.deepEqual(faultsOf(answer), [])
    t.true([400, 422].includes(answer.status))
  }
})

/** An unknown member, so that the body has been read. */
const SEEN = [422, 'field_unknown', '#/nothing']

const MEDIA_TYPES: Readonly<Record<string, readonly unknown[]>> = {
  'application/json': SEEN,
  'application/json; charset=utf-8': SEEN,
  'application/json;charset="UTF-8"': SEEN,
  'Application/JSON': SEEN,
  'application/json;': SEEN,
  'application/json; ;': SEEN,
  'application/json; charset=utf8': SEEN,
  'application/json; charset=utf-8;': SEEN,
  'application/json; charset': [415, 'unsupported_media_type'],
  'application/json; charset=utf-80': [415, 'unsupported_media_type'],
  'application/merge-patch+json': SEEN,
  'text/plain': [415, 'unsupported_media_type'],
  'application/x-www-form-urlencoded': [415, 'unsupported_media_type'],
  'application/jsonp': [415, 'unsupported_media_type'],
  'text/json': [415, 'unsupported_media_type'],
  'application/json, text/plain': [415, 'unsupported_media_type'],
  'application/json; charset=latin1': [415, 'unsupported_media_type'],
  ';;;': [415, 'unsupported_media_type'],
  json: [415, 'unsupported_media_type'],
}

for (const [type, refusal] of Object.entries(MEDIA_TYPES)) {
  test(`a body of type ${type}: ${refusal.join(' ')}`, async (t) => {
    const answer = await send('{"nothing":1}', { 'Content-Type': type })
    t.deepEqual(refusalOf(answer), refusal)
    t.deepEqual(faultsOf(answer), [])
  })
}

test('a body without a media type is 415, and a missing body 400', async (t) => {
  t.deepEqual(refusalOf(await send('{}', {})), [415, 'unsupported_media_type'])
  t.deepEqual(refusalOf(await send(undefined, {})), [400, 'malformed_json'])
})

test('a body with a content coding is refused, whatever its size', async (t) => {
  for (const size of [1, 10 * 1024 * 1024]) {
    const body = gzipSync(JSON.stringify(aSut({ description: 'a'.repeat(size) })))
    const answer = await send(body, { 'Content-Type': JSON_TYPE, 'Content-Encoding': 'gzip' })
    t.deepEqual(refusalOf(answer), [415, 'unsupported_media_type'])
  }
  for (const coding of ['br', 'deflate', 'x-nothing', 'GZIP', 'gzip, gzip']) {
    const answer = await send('{}', { 'Content-Type': JSON_TYPE, 'Content-Encoding': coding })
    t.deepEqual(refusalOf(answer), [415, 'unsupported_media_type'], coding)
  }
  for (const coding of ['identity', 'Identity', '']) {
    const answer = await send('{}', { 'Content-Type': JSON_TYPE, 'Content-Encoding': coding })
    t.deepEqual(refusalOf(answer), READ, coding)
  }
})

test('the error for malformed JSON gives the offset and quotes nothing, because bodies contain passwords', async (t) => {
  for (const body of ['{"password":hunter2}', '{"password":"hunter2"x}', '{"password":"hunter2']) {
    const { text, json } = await send(body)
    t.notRegex(text, /hunter2/)
    t.regex(String(json.detail), /at offset \d+|ends too early/)
  }
})
