import test from 'ava'
import { type Answer, basic } from '../client.ts'
import { type Running, start, tidyingLater } from '../harness.ts'
import { faultsOf, refusalOf } from '../refusals/problems.ts'
import { exchange } from '../server/raw-http.ts'

/** The limit of the body size, in updates of an unknown SUT: a body that is read gets 404. */

const later = tidyingLater()
let service: Running
test.before(async () => {
  service = await start(later)
})
test.after.always(later.tidy)

const PATH = '/api/sut/58c38f5d444553252cce0000/update'
const READ = [404, 'sut_not_found']
const JSON_TYPE = 'application/json'

const send = (body: string): Promise<Answer> =>
  service.as('admin').request('POST', PATH, { 'Content-Type': JSON_TYPE }, body)

const LIMIT = 262_144

test('a body of 256 KiB is read, and one byte more is refused', async (t) => {
  t.deepEqual(refusalOf(await send('{}'.padEnd(LIMIT))), READ)
  const answer = await send('{}'.padEnd(LIMIT + 1))
  t.deepEqual(refusalOf(answer), [413, 'body_too_large'])
  t.deepEqual(faultsOf(answer), [])
})

test('the limit counts bytes, not characters', async (t) => {
  const pad = (count: number): string => `{"description":"${'\u{1f5a5}'.repeat(count)}"}`
  t.deepEqual(refusalOf(await send(pad(65_000))), [422, 'invalid', '#/description'])
  t.deepEqual(refusalOf(await send(pad(66_000))), [413, 'body_too_large'])
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
  for (const [size, ...refusal] of [
    [LIMIT, ...READ],
    [LIMIT + 1, 413, 'body_too_large'],
    [LIMIT * 8, 413, 'body_too_large'],
  ] as const) {
    const answer = await exchange(service.port, chunked('{}'.padEnd(Number(size))))
    if (answer === undefined) return t.fail('closed without an answer')
    t.deepEqual(refusalOf(answer), refusal)
    t.deepEqual(faultsOf(answer), [])
  }
})
