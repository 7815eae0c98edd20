import { type IncomingHttpHeaders, request } from 'node:http'
import { promisify } from 'node:util'
import { gunzip, zstdDecompress } from 'node:zlib'
import test, { type ExecutionContext } from 'ava'
import { basic, type Headers } from '../client.ts'
import { type Running, start } from '../harness.ts'
import { aSut, createSut } from '../requests.ts'
import '../documents/fit-answers.ts'

interface Bytes {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

/** Sends a request of the administrator and returns what is on the wire. */
const send = ({ port }: Running, method: string, path: string, headers: Headers = {}, body?: object): Promise<Bytes> =>
  new Promise((resolve, reject) => {
    const own = { Authorization: basic('admin'), Connection: 'close', 'Content-Type': 'application/json' }
    const sent = request({ host: '127.0.0.1', port, method, path, headers: { ...own, ...headers } }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
      )
    })
    sent.on('error', reject)
    sent.end(body && JSON.stringify(body))
  })

const DECODERS = { gzip: promisify(gunzip), zstd: promisify(zstdDecompress) } as const

const textOf = async ({ headers, bytes }: Bytes): Promise<string> => {
  const coding = headers['content-encoding'] as keyof typeof DECODERS | undefined
  return (coding === undefined ? bytes : await DECODERS[coding](bytes)).toString()
}

const taking = (accepted: string): Headers => ({ 'Accept-Encoding': accepted })

/** A service with a SUT whose document has more than 4 KB, and its path. */
const stage = async (t: ExecutionContext) => {
  const service = await start(t)
  const id = await createSut(service.as('admin'), { description: 'a long story '.repeat(310) })
  return { service, path: `/api/sut/${id}` }
}

test('a long JSON answer is compressed with what the client prefers of zstd and gzip', async (t) => {
  const { service, path } = await stage(t)
  const plain = await send(service, 'GET', '/api/sut')
  t.is(plain.headers['content-encoding'], undefined)
  t.true(plain.bytes.length > 4_096)
  const codings: readonly (readonly [accepted: string, coding: string | undefined])[] = [
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['GZIP;q=0.5', 'gzip'],
    ['zstd', 'zstd'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip;q=1.0, zstd;q=0.5', 'gzip'],
    ['zstd;q=0, gzip', 'gzip'],
    ['zstd ; q=0.8 ,gzip;q=0.7', 'zstd'],
    ['gzip;q=0', undefined],
    ['br, deflate', undefined],
    ['identity', undefined],
    ['*', undefined],
    ['gzipped, notgzip', undefined],
    ['', undefined],
  ]
  for (const [accepted, coding] of codings) {
    const answer = await send(service, 'GET', '/api/sut', taking(accepted))
    t.is(answer.headers['content-encoding'], coding, accepted)
    t.is(answer.headers['content-length'], String(answer.bytes.length), accepted)
    t.is(answer.headers['content-type'], 'application/json')
    t.is(answer.headers.vary, 'Accept, Accept-Encoding')
    t.is(await textOf(answer), plain.bytes.toString(), accepted)
    if (coding !== undefined) t.true(answer.bytes.length * 2 < plain.bytes.length, accepted)
  }
  t.is((await send(service, 'GET', path, taking('gzip'))).headers.vary, 'Accept-Encoding')
})

test('a short answer, a stream and another media type than JSON are sent as they are', async (t) => {
  const { service } = await stage(t)
  const requests: readonly (readonly [path: string, headers: Headers])[] = [
    ['/api/user/me', {}],
    ['/api/sut', { Accept: 'text/csv' }],
    ['/api/events', { Accept: 'application/x-ndjson' }],
    ['/metrics', {}],
  ]
  for (const [path, headers] of requests) {
    const { status, headers: got } = await send(service, 'GET', path, { ...taking('gzip, zstd'), ...headers })
    t.deepEqual([status, got['content-encoding']], [200, undefined], path)
    t.false(String(got.vary).includes('Accept-Encoding'), path)
  }
})

test('HEAD has the header of the same GET, compressed or not', async (t) => {
  const { service, path } = await stage(t)
  const shown = ({ status, headers: { etag, vary, ...headers } }: Bytes) => [
    status,
    [etag, vary, headers['content-encoding'], headers['content-length'], headers['berth-position']],
  ]
  for (const accepted of ['zstd', 'gzip', 'identity']) {
    const [head, get] = [
      await send(service, 'HEAD', path, taking(accepted)),
      await send(service, 'GET', path, taking(accepted)),
    ]
    t.deepEqual(shown(head), shown(get), accepted)
    t.is(head.bytes.length, 0)
  }
})

test('each coding has an entity tag of its own, which If-None-Match knows and If-Match takes', async (t) => {
  const { service, path } = await stage(t)
  const tags = { identity: '"0"', gzip: '"0-gzip"', zstd: '"0-zstd"' }
  for (const [accepted, tag] of Object.entries(tags)) {
    t.is((await send(service, 'GET', path, taking(accepted))).headers.etag, tag)
    for (const known of Object.values(tags)) {
      const { status, headers } = await send(service, 'GET', path, { ...taking(accepted), 'If-None-Match': known })
      t.deepEqual([status, headers.etag, headers.vary], [known === tag ? 304 : 200, tag, 'Accept-Encoding'], known)
      if (status === 304) t.is(headers['content-encoding'], undefined)
    }
  }
  for (const [revision, tag] of Object.values(tags).entries()) {
    const change = { os: `os ${revision}` }
    const header = (from: string) => ({ 'If-Match': tag.replace('0', from), 'Idempotency-Key': `${revision}` })
    t.is((await send(service, 'POST', `${path}/update`, header('7'), change)).status, 412)
    t.is((await send(service, 'POST', `${path}/update`, header(String(revision)), change)).status, 200)
  }
})

test('a retry gets the bytes of the first answer in its coding, and the same text in another', async (t) => {
  const service = await start(t)
  const body = aSut({ description: 'a long story '.repeat(310) })
  const create = (accepted: string) =>
    send(service, 'POST', '/api/sut/create', { ...taking(accepted), 'Idempotency-Key': 'once' }, body)
  const first = await create('gzip')
  const [again, other] = [await create('gzip'), await create('zstd')]
  t.deepEqual([first.status, first.headers['content-encoding']], [201, 'gzip'])
  t.true(again.bytes.equals(first.bytes))
  t.deepEqual([again.headers.etag, again.headers.location], ['"0-gzip"', first.headers.location])
  t.is(await textOf(other), await textOf(first))
})

test('an answer with a new password is never compressed, however long', async (t) => {
  const service = await start(t)
  const users = Array.from({ length: 60 }, (_, n) => ({ name: `person ${n}`, role: 'tester' }))
  const { status, headers, bytes } = await send(service, 'POST', '/api/user/import', taking('gzip, zstd'), { users })
  t.is(status, 200)
  t.true(bytes.length > 4_096)
  t.deepEqual([headers['content-encoding'], headers.vary, headers['cache-control']], [undefined, undefined, 'no-store'])
})

test('a long error is compressed too', async (t) => {
  const service = await start(t)
  const body = Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`unknown field ${n}`, n]))
  const { status, headers, bytes } = await send(service, 'POST', '/api/sut/create', taking('gzip'), body)
  t.deepEqual([status, headers['content-encoding'], headers.vary], [422, 'gzip', 'Accept-Encoding'])
  t.is(JSON.parse((await DECODERS.gzip(bytes)).toString()).status, 422)
})

test('the documents are compressed once and kept, pages and scripts too', async (t) => {
  const service = await start(t)
  const paths = ['/openapi.json', '/guide', '/docs/swagger-ui-bundle.js', '/client/berth.mjs']
  for (const path of paths) {
    const plain = await send(service, 'GET', path)
    const packed = await send(service, 'GET', path, taking('zstd'))
    t.deepEqual([packed.headers['content-encoding'], packed.headers.vary], ['zstd', 'Accept-Encoding'], path)
    t.is(packed.headers.etag, plain.headers.etag?.replace(/"$/, '-zstd"'))
    t.is(await textOf(packed), plain.bytes.toString(), path)
    const again = await send(service, 'GET', path, { ...taking('zstd'), 'If-None-Match': String(packed.headers.etag) })
    t.is(again.status, 304)
  }
  const picture = await send(service, 'GET', '/guide/pictures/schedule.png', taking('zstd'))
  t.deepEqual([picture.headers['content-encoding'], picture.headers.vary], [undefined, 'Accept'])
})
