/** Requests with one or more faults: from bytes that are not HTTP to a body with one bad field. */

import fc from 'fast-check'
import { anyCharacter } from '../../characters.ts'
import { basic } from '../client.ts'
import { idOf, type Running } from '../harness.ts'
import { exchange, type RawAnswer } from '../server/raw-http.ts'
import { faultsOf } from './problems.ts'

const CRLF = '\r\n'
const NO_ID = '58c38f5d444553252cce0000'
const strange = fc.string({ unit: anyCharacter, maxLength: 40 })
const latin1 = (text: string): string => Buffer.from(text, 'latin1').toString('latin1')
const printable = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) })
/** Text for a header line, rarely with forbidden characters. */
const inLine = fc.oneof(
  { weight: 9, arbitrary: printable },
  { weight: 1, arbitrary: strange.map((text) => latin1(text).replace(/[\r\n]/g, '')) },
)
const token = printable.map((text) => text.replace(/[^A-Za-z0-9-]/g, '') || 'X')

/** The operations that need no existing id. */
const operations = fc.constantFrom(
  'POST /api/sut_reservation/create',
  'POST /api/sut/create',
  `POST /api/sut/${NO_ID}/update`,
  `GET /api/sut/${NO_ID}`,
  `GET /api/sut_reservation/${NO_ID}`,
  'GET /api/user/me',
)
const methods = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('GET', 'POST') },
  { weight: 4, arbitrary: fc.constantFrom('PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY') },
  { weight: 1, arbitrary: token },
)
const knownPaths = operations.map((operation) => operation.replace(/.* /, ''))

const segment = fc.oneof(
  fc.constantFrom(
    'api',
    'sut',
    'create',
    '..',
    '.',
    '',
    '%2e%2e',
    '%00',
    '%',
    '%ff',
    '%zz',
    '*',
    ';',
    '__proto__',
    NO_ID,
  ),
  inLine.map((text) => text.replace(/[ ?#]/g, '')),
)
const queries = fc.constantFrom('?', '?a', '?a=1&a=2', '?%zz=%', '?__proto__=1', '?a[b]=c', '?=&&=', '?a=+&b=%2B', '#a')
const paths = fc.oneof(
  { weight: 2, arbitrary: knownPaths },
  { weight: 2, arbitrary: fc.tuple(knownPaths, segment).map((parts) => parts.join('/')) },
  { weight: 2, arbitrary: fc.array(segment, { maxLength: 6 }).map((parts) => `/${parts.join('/')}`) },
  { weight: 1, arbitrary: fc.constantFrom('*', '', 'http://berth/api/user/me', '//', `/${'a'.repeat(9000)}`) },
)
const targets = fc.oneof(
  { weight: 12, arbitrary: operations },
  { weight: 2, arbitrary: fc.tuple(operations, queries).map((parts) => parts.join('')) },
  { weight: 5, arbitrary: fc.tuple(methods, paths).map((parts) => parts.join(' ')) },
)

const header = (name: string, ...values: readonly string[]) =>
  fc.oneof(fc.constantFrom(...values), inLine).map((value) => `${name}: ${value}`)
const authorization = fc.oneof(
  { weight: 12, arbitrary: fc.constant(`Authorization: ${basic('admin')}`) },
  { weight: 3, arbitrary: fc.constantFrom(`Authorization: ${basic('alice')}`, `Authorization: ${basic('audrey')}`) },
  { weight: 1, arbitrary: header('Authorization', basic('admin', 'wrong'), 'Basic', 'Basic Og==', 'Bearer a', '') },
)
const contentType = fc.oneof(
  { weight: 8, arbitrary: fc.constant('Content-Type: application/json') },
  {
    weight: 1,
    arbitrary: header('Content-Type', 'text/plain', 'application/json; charset=utf-16', 'a/b+json', '/', ''),
  },
)
const oneHeader = fc.oneof(
  header('Accept', '*/*', 'text/html', 'application/problem+json', 'application/json;q=0', ',', 'a/b;q=z'),
  header('Idempotency-Key', 'k', '"k"', '', '"', 'a b', 'x'.repeat(256)),
  header('If-Match', '*', '"0"', 'W/"0"', '0', '', '"'),
  header('If-None-Match', '*', '"0"', '"'),
  header('Berth-After', '00000000000000000000', '1', '-1', ''),
  header('Content-Encoding', 'gzip', 'br', 'identity', 'x'),
  header('Expect', '100-continue', 'a'),
  header('Connection', 'close', 'keep-alive', 'Upgrade', 'Host'),
  header('Host', 'other', ''),
  header('X-Forwarded-For', '::1', '127.0.0.1, a'),
  header('Origin', 'null', 'http://other'),
  fc.tuple(token, inLine).map(([name, value]) => `${name}: ${value}`),
  fc.tuple(inLine, inLine).map(([name, value]) => `${name}: ${value}`),
  fc.nat({ max: 40_000 }).map((length) => `X: ${'a'.repeat(length)}`),
)
const furtherHeaders = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  { weight: 2, arbitrary: fc.array(oneHeader, { maxLength: 3 }) },
)

const wrong = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(null, '', -1, 0, 0.5, 65_536, 1e21, true, [], {}, '\u0000', '\ud800', 'x'.repeat(5000)),
  fc.constantFrom('2030-05-02', '2030-02-30T00:00:00Z', '9999-12-31T23:59:59Z', '0000-01-01T00:00:00-14:00', '1970'),
)
const bodiesToSpoil = fc.constantFrom<Readonly<Record<string, unknown>>>(
  { name: 'a', address: 'a', port: 1, sut_type: 'vnc' },
  { user_id: idOf('alice'), sut_id: NO_ID, start_in: 0, duration: 900 },
  { user_id: idOf('bob'), sut_id: NO_ID, start_time: '2030-05-02T06:00:00Z', end_time: '2030-05-02T07:00:00Z' },
)
const fieldNames = fc.oneof(
  fc.constantFrom('name', 'address', 'port', 'sut_type', 'is_active', 'password', 'rdp_width'),
  fc.constantFrom('tags', '_id', 'listen_port', 'monitoring'),
  fc.constantFrom(
    'user_id',
    'sut_id',
    'start_time',
    'end_time',
    'start_in',
    'duration',
    '__proto__',
    'constructor',
    '',
  ),
  strange,
)
const damagedBody = fc
  .tuple(bodiesToSpoil, fieldNames, wrong)
  .map(([body, name, value]) => JSON.stringify(Object.fromEntries([...Object.entries(body), [name, value]])))
const bodies: fc.Arbitrary<string> = fc.oneof(
  { weight: 10, arbitrary: damagedBody },
  { weight: 2, arbitrary: fc.json() },
  { weight: 2, arbitrary: fc.tuple(damagedBody, fc.nat({ max: 60 })).map(([json, at]) => json.slice(0, at)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('latin1')) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '[]', 'null', '{}{}', '\xef\xbb\xbf{}', '{"a":1,"a":2}', '['.repeat(9000)),
  },
)

/** The declared length of the body, and its framing. */
const framings = fc.oneof(
  { weight: 12, arbitrary: fc.constant((body: string) => `Content-Length: ${body.length}${CRLF}${CRLF}${body}`) },
  {
    weight: 2,
    arbitrary: fc.constant(
      (body: string) =>
        `Transfer-Encoding: chunked${CRLF}${CRLF}${body && `${body.length.toString(16)}${CRLF}${body}${CRLF}`}0${CRLF}${CRLF}`,
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        'Content-Length: x',
        'Content-Length: 262145',
        'Content-Length: 99999999',
        'Transfer-Encoding: a',
        '',
      )
      .map((line) => (body: string) => `${line}${CRLF}${CRLF}${body}`),
  },
)

const versions = fc.oneof(
  { weight: 30, arbitrary: fc.constant('HTTP/1.1') },
  { weight: 1, arbitrary: fc.constantFrom('HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'http/1.1', '', 'HTTP/1.1 ') },
)

const structured = fc
  .tuple(targets, versions, authorization, contentType, furtherHeaders, bodies, framings)
  .map(([target, version, who, type, further, body, framed]) => {
    const lines = [`${target} ${version}`, 'Host: berth', who, type, ...further]
    return Buffer.from(`${lines.join(CRLF)}${CRLF}${framed(latin1(body))}`, 'latin1')
  })

/** A request with some bytes changed, or its end cut off. */
const mutated = fc
  .tuple(structured, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { minLength: 1, maxLength: 4 }), fc.nat())
  .map(([bytes, changes, cut]) => {
    const copy = Buffer.from(bytes)
    for (const [at, byte] of changes) copy[at % copy.length] = byte
    return cut % 8 === 0 ? copy.subarray(0, cut % copy.length) : copy
  })

const badRequest: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 12, arbitrary: structured },
  { weight: 3, arbitrary: mutated },
  { weight: 1, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
)

export interface Outcome {
  /** The number of answers by code, `2xx` for requests that turned out valid. */
  readonly codes: Readonly<Record<string, number>>
  /** The first ten undocumented answers, with their requests. */
  readonly faults: readonly string[]
}

/** Concurrent connections: few enough that password checks never overflow their queue. */
const AT_ONCE = 8
/** Requests generated at once. */
const CHUNK = 1_000

const MEDIA_TYPES = ['application/json', 'application/problem+json']

/** Some of the requests name a position that the log has not reached. */
const isOfAnotherPosition = ({ status, text, json }: RawAnswer): boolean =>
  status === 503 && (text === '' || json.code === 'position_not_reached')

const faultsOfAnswer = (answer: RawAnswer | undefined, isToHead: boolean): readonly string[] => {
  if (answer === undefined) return ['closed without an answer']
  const { status, headers } = answer
  if (status >= 500 && status !== 501 && !isOfAnotherPosition(answer)) return [`${status} ${answer.text}`]
  if (status < 400) return [200, 201, 204, 304].includes(status) ? [] : [`${status}`]
  if (isToHead) return []
  // What is no request Node refuses without a body.
  if (answer.text === '' && [400, 408, 431].includes(status)) return []
  return faultsOf(
    answer,
    MEDIA_TYPES.find((type) => type === headers['content-type']),
  )
}

const codeOf = (answer: RawAnswer | undefined): string => {
  if (answer === undefined) return 'none'
  if (answer.status < 400) return '2xx'
  return answer.text === '' ? `bare ${answer.status}` : String(answer.json.code)
}

/** Sends bad requests, each on its own connection, and checks the answers. The seed makes them reproducible. */
export const sendBadRequests = async (
  { port }: Pick<Running, 'port'>,
  count: number,
  seed: number,
): Promise<Outcome> => {
  const codes: Record<string, number> = {}
  const faults: string[] = []
  const send = async (bytes: Buffer): Promise<void> => {
    const answer = await exchange(port, bytes).catch((error: Error) => error)
    const isToHead = bytes.subarray(0, 5).toString() === 'HEAD '
    const found = answer instanceof Error ? [answer.message] : faultsOfAnswer(answer, isToHead)
    const code = answer instanceof Error ? 'none' : codeOf(answer)
    codes[code] = (codes[code] ?? 0) + 1
    if (found.length > 0 && faults.length < 10) {
      faults.push(`${found.join('; ')}: ${JSON.stringify(bytes.toString('latin1').slice(0, 2000))}`)
    }
  }
  for (let done = 0; done < count; done += CHUNK) {
    const requests = fc.sample(badRequest, { numRuns: Math.min(CHUNK, count - done), seed: seed + done })
    const client = async (): Promise<void> => {
      for (let next = requests.pop(); next !== undefined; next = requests.pop()) await send(next)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, client))
  }
  return { codes, faults }
}
