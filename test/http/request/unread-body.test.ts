/** Requests that are answered before their body has arrived. */

import { connect } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import test from 'ava'
import { basic } from '../client.ts'
import { idOf, start } from '../harness.ts'
import { faultsOf, refusalOf } from '../refusals/problems.ts'
import { openRaw, type RawAnswer, type RawConnection } from '../server/raw-http.ts'
import { sharedService } from '../shared.ts'

const service = sharedService()

const HOST = 'Host: berth\r\n'
const as = (name: string): string => `Authorization: ${basic(name)}\r\n`
const JSON_TYPE = 'Content-Type: application/json\r\n'
const SUT = 'POST /api/sut/58c38f5d444553252cce0000/update'
const PROBE = `GET /health/live HTTP/1.1\r\n${HOST}\r\n`

/** Requests that are refused before their body is read: the line, the fields, the error. */
const REFUSED: Readonly<Record<string, readonly [line: string, fields: string, status: number, code: string]>> = {
  'no credentials': [SUT, JSON_TYPE, 401, 'unauthenticated'],
  'a forbidden role': [SUT, as('alice') + JSON_TYPE, 403, 'forbidden'],
  'an unknown path': ['POST /api/nothing', as('admin') + JSON_TYPE, 404, 'not_found'],
  'an unsupported method': ['PUT /api/sut', as('admin') + JSON_TYPE, 405, 'method_not_allowed'],
  'a body of another media type': [SUT, `${as('admin')}Content-Type: text/plain\r\n`, 415, 'unsupported_media_type'],
  'a body with a content coding': [
    SUT,
    `${as('admin')}${JSON_TYPE}Content-Encoding: br\r\n`,
    415,
    'unsupported_media_type',
  ],
  'two Host fields': [SUT, `${HOST}${as('admin')}`, 400, 'malformed_request'],
}

const EXPECT = 'Expect: 100-continue\r\n'
const LEFT_MAX = 65_536
const BODY_MAX = 262_144

const refusedAs = (t: { deepEqual: (a: unknown, b: unknown) => void }, answer: RawAnswer | undefined, what: string[]) =>
  t.deepEqual(answer && [...refusalOf(answer).map(String), ...faultsOf(answer)], what)

const sent = async (bytes: string | Uint8Array): Promise<RawConnection> => {
  const connection = await openRaw(service.port)
  connection.send(bytes)
  return connection
}

/** Each refused request, before its length. */
const heads = Object.entries(REFUSED).map(([what, [line, fields, status, code]]) => ({
  ...{ what, said: [String(status), code] },
  head: `${line} HTTP/1.1\r\n${HOST}${fields}`,
}))

test('with up to 64 KiB outstanding the connection of a refused request stays open', async (t) => {
  for (const { what, said, head } of heads) {
    const connection = await sent(`${head}Content-Length: ${LEFT_MAX}\r\n\r\n`)
    const answer = await connection.answer()
    refusedAs(t, answer, said)
    t.not(answer?.headers.connection, 'close', what)
    connection.send('x'.repeat(LEFT_MAX) + PROBE)
    t.is((await connection.answer())?.status, 200, what)
    connection.close()
  }
})

test('with more or an unknown amount outstanding, or Expect, it is closed after the refusal', async (t) => {
  for (const { what, said, head } of heads) {
    for (const more of [
      `Content-Length: ${LEFT_MAX + 1}\r\n\r\n`,
      'Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n',
      `Content-Length: ${BODY_MAX}\r\n\r\n${PROBE}`,
      `${EXPECT}Content-Length: 2\r\n\r\n`,
    ]) {
      const connection = await sent(head + more)
      const answer = await connection.answer()
      refusedAs(t, answer, said)
      t.is(answer?.headers.connection, 'close', what)
      // Anything after it is neither read nor treated as a request.
      connection.send(`0\r\n\r\n${PROBE}`)
      t.is(await connection.answer(), undefined, what)
    }
  }
})

const UPDATE = `${SUT} HTTP/1.1\r\n${HOST}${as('admin')}${JSON_TYPE}`
const chunk = (size: number): string => `${size.toString(16)}\r\n${' '.repeat(size)}\r\n`

test('a body that is too large is refused as soon as that is known, also in chunks', async (t) => {
  for (const bytes of [
    `${UPDATE}Content-Length: ${BODY_MAX + 1}\r\n\r\n`,
    `${UPDATE}Transfer-Encoding: chunked\r\n\r\n${chunk(65_536).repeat(4)}${chunk(1)}`,
    `${UPDATE}Transfer-Encoding: chunked\r\n\r\n${chunk(1).repeat(4_097)}`,
  ]) {
    const connection = await sent(bytes)
    const answer = await connection.answer()
    refusedAs(t, answer, ['413', 'body_too_large'])
    t.is(answer?.headers.connection, 'close')
    await connection.ended()
  }
})

test('a body in 4,096 chunks is read', async (t) => {
  const connection = await sent(`${UPDATE}Transfer-Encoding: chunked\r\n\r\n${chunk(1).repeat(4_094)}`)
  connection.send('2\r\n{}\r\n0\r\n\r\n')
  t.is((await connection.answer())?.json.code, 'sut_not_found')
  connection.close()
})

test('a body in more chunks is refused although all of it has arrived, and its connection stays open', async (t) => {
  for (const last of [' ', '\xff']) {
    const chunks = `${chunk(1).repeat(4_096)}1\r\n${last}\r\n0\r\n\r\n`
    const connection = await sent(Buffer.from(`${UPDATE}Transfer-Encoding: chunked\r\n\r\n${chunks}`, 'latin1'))
    refusedAs(t, await connection.answer(), ['413', 'body_too_large'])
    connection.send(PROBE)
    t.is((await connection.answer())?.status, 200)
    connection.close()
  }
})

/** A client that writes its whole body before it reads. Returns the bytes written and the text read. */
const writeThenRead = (head: string, size: number): Promise<{ readonly written: number; readonly text: string }> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port: service.port, host: '127.0.0.1' })
    let text = ''
    socket.pause()
    socket.once('error', () => socket.resume())
    socket.once('connect', () => {
      socket.write(head)
      socket.write(Buffer.alloc(size, ' '), () => socket.resume())
    })
    socket.on('data', (bytes) => {
      text += bytes.toString()
    })
    socket.once('close', () => resolve({ written: socket.bytesWritten - head.length, text }))
    setTimeout(() => reject(new Error('not closed')), 20_000).unref()
  })

test('a client that writes its body before it reads sees the answer', async (t) => {
  for (const size of [220_000, 250_000]) {
    const head = `${SUT} HTTP/1.1\r\n${HOST}${JSON_TYPE}Content-Length: ${size + 1}\r\n\r\n`
    const { text } = await writeThenRead(head, size)
    t.regex(text, /^HTTP\/1\.1 401 /)
    t.regex(text, /"code":"unauthenticated"\}$/)
  }
})

test('a client that never stops writing is cut off', async (t) => {
  const connection = await sent(`${SUT} HTTP/1.1\r\n${HOST}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n`)
  t.is((await connection.answer())?.status, 401)
  const timer = setInterval(() => connection.send(chunk(60_000)), 1)
  await connection.ended()
  clearInterval(timer)
  t.is((await service.anyone.get('/health/live')).status, 200)
})

test('a success answer does not read an endless body either', async (t) => {
  const connection = await sent(`GET /health/live HTTP/1.1\r\n${HOST}Content-Length: ${1 << 30}\r\n\r\n`)
  const answer = await connection.answer()
  t.deepEqual([answer?.status, answer?.headers.connection], [200, 'close'])
  await connection.ended()
})

test('a request with Expect: 100-continue gets 100, and its body is read', async (t) => {
  const connection = await sent(
    `POST /api/sut_reservation/create HTTP/1.1\r\n${HOST}${as('alice')}${JSON_TYPE}${EXPECT}Content-Length: 60\r\n\r\n`,
  )
  t.is((await connection.answer())?.status, 100)
  connection.send(JSON.stringify({ user_id: idOf('alice') }).padEnd(60))
  const answer = await connection.answer()
  t.is(answer?.json.code, 'invalid')
  connection.send(PROBE)
  t.is((await connection.answer())?.status, 200)
  connection.close()
})

test('thorough: a short body in too many packets is refused, and its connection answers the next request', async (t) => {
  // Beside other tests it takes longer to send than a request may take.
  const patient = await start(t, { timeouts: { request: 120_000 } })
  const connection = await openRaw(patient.port)
  t.teardown(connection.close)
  // Some packets arrive together.
  const size = 12_000
  connection.send(`${UPDATE}Content-Length: ${size}\r\n\r\n`)
  for (let n = 0; n < size; n++) {
    connection.send(' ')
    await turn()
    await turn()
  }
  refusedAs(t, await connection.answer(), ['413', 'body_too_large'])
  connection.send(PROBE)
  t.is((await connection.answer())?.status, 200)
})
