import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, get as getHttp, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { growTree } from '../../src/audit/merkle-tree.ts'
import { leafHash } from '../../src/event-store/stored-event.ts'
import { type } from '../command-line/terminal.ts'
import { passwordOf } from '../http/client.ts'
import { createSut } from '../http/requests.ts'
import { ROOT } from '../process/harness.ts'
import { checkpointOf, given } from './checkpoints.ts'

const linesOf = (text: string): readonly string[] => text.split('\n').slice(0, -1)

const rootOf = (leaves: readonly string[]): string => {
  const tree = growTree()
  for (const leaf of leaves) tree.add(leafHash(leaf))
  return Buffer.from(tree.root()).toString('base64')
}

test('the leaves of a log have the root of its checkpoint, however they are paged and exported', async (t) => {
  const { service, env } = await given(t, 3)
  await service
    .as('admin')
    .post('/api/sut/create', { name: 'k', address: 'h', port: 1, sut_type: 'tcp' }, { 'Idempotency-Key': 'k' })
  const audrey = service.as('audrey')
  const { size, root } = await checkpointOf(service, env)
  const page = async (query: string) => {
    const { status, text, headers } = await audrey.get(`/api/audit/leaves${query}`)
    t.deepEqual([status, headers['content-type']], [200, 'application/x-ndjson'])
    return linesOf(text)
  }
  const all = await page('')
  t.is(all.length, size)
  t.is(rootOf(all), Buffer.from(root).toString('base64'))
  t.true(
    all.some((leaf) => leaf.includes('"key":"')),
    'what the feed leaves out',
  )
  for (const from of [0, 1, size - 1, size]) t.deepEqual(await page(`?from=${from}&limit=2`), all.slice(from, from + 2))
  const exported = async (...line: readonly string[]) =>
    linesOf((await type(['export', '--format', 'leaves', ...line], env)).out)
  for (const log of [[], ['--log', join(service.data, 'events.db')]]) {
    t.deepEqual(await exported(...log), all)
    t.deepEqual(await exported(...log, '--from', '3', '--to', '6'), all.slice(3, 6))
  }
})

test('leaves are refused to testers, beyond the end, and with what selects others', async (t) => {
  const { service, env } = await given(t, 1)
  const refusedAt = async (query: string, who = 'audrey') => {
    const { status, json } = await service.as(who).get(`/api/audit/leaves${query}`)
    return [status, json.code, ...((json.errors ?? []) as { parameter: string }[]).map(({ parameter }) => parameter)]
  }
  t.deepEqual(await refusedAt('', 'alice'), [403, 'forbidden'])
  t.deepEqual(await refusedAt('?from=9'), [422, 'invalid', 'from'])
  t.deepEqual(await refusedAt('?from=-1&limit=1001'), [422, 'invalid', 'from', 'limit'])
  for (const option of [['--type', 'SutCreated'], ['--sut', 'x'], ['--from', '2030-05-01T00:00:00Z'], ['--excel']]) {
    const { code, error } = await type(['export', '--format', 'leaves', ...option], env)
    t.is(code, 2)
    t.regex(error, /--format/)
  }
})

/** A program in the guide. */
const programOf = async (name: string): Promise<string> => {
  const chapter = await readFile(join(ROOT, 'src/guide/proof.md'), 'utf8')
  return new RegExp(`^\`\`\`js\\n(// ${name}[\\s\\S]*?)^\`\`\`$`, 'm').exec(chapter)?.[1] ?? ''
}

/** A machine between a service and those who ask it. It changes what it passes on. */
const aLiar = async (
  t: ExecutionContext,
  port: number,
  change: (path: string, text: string) => string,
): Promise<number> => {
  const server = createServer(async ({ url: path = '', headers }, response) => {
    const asked = Promise.withResolvers<IncomingMessage>()
    getHttp({ port, path, headers: { authorization: headers.authorization ?? '' } }, asked.resolve)
    const answer = await asked.promise
    const chunks: Buffer[] = []
    for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk)
    response.writeHead(answer.statusCode ?? 0).end(change(path, Buffer.concat(chunks).toString()))
  }).listen(0, '127.0.0.1')
  t.teardown(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  return (server.address() as AddressInfo).port
}

test("thorough: the guide's program verifies a whole log over HTTP, and finds what was altered", async (t) => {
  const { service, env } = await given(t, 5)
  const program = await programOf('check-log')
  t.true(program.trim().split('\n').length <= 60)
  const script = join(service.data, 'check-log.mjs')
  await writeFile(script, program)
  await writeFile(join(service.data, 'verify-proof.mjs'), await programOf('verify-proof'))
  const key = (await service.as('audrey').get('/api/audit/key')).text.trim()
  const CREDENTIALS = `audrey:${passwordOf('audrey')}`
  const check = (port: number, vkey = key, ...older: readonly string[]) =>
    promisify(execFile)(process.execPath, [script, `http://127.0.0.1:${port}`, vkey, ...older], {
      env: { ...process.env, CREDENTIALS },
    }).then(
      ({ stdout }) => stdout.trim(),
      ({ stderr }) => String(stderr).trim(),
    )
  const olds: [string, number][] = []
  for (let n = 0; n < 4; n++) {
    const file = join(service.data, `old-${n}`)
    const { answer, size } = await checkpointOf(service, env)
    await writeFile(file, answer.text)
    olds.push([file, size])
    await createSut(service.as('admin'))
  }
  const { size } = await checkpointOf(service, env)
  const events = `verified: the ${size} events of berth`
  t.is(await check(service.port), events)
  for (const [file, from] of olds) t.is(await check(service.port, key, file), `${events} continue the first ${from}`)

  const [[first, early], [, later]] = olds as [[string, number], [string, number]]
  const changing = (part: string, change: (text: string) => string) =>
    aLiar(t, service.port, (path, text) => (path.includes(part) ? change(text) : text))
  const rename = (text: string) => text.replace('"port":5902', '"port":5903')
  t.is(await check(await changing('leaves', rename)), 'NOT VERIFIED: the root')
  t.is(
    await check(await changing('leaves', rename), key, first),
    `NOT VERIFIED: the first ${early} events, as they were signed`,
  )
  t.is(
    await check(await changing('leaves', (text) => text.split('\n').slice(1).join('\n'))),
    `NOT VERIFIED: the events from ${size - 1} on`,
  )
  const wrong = (text: string) => text.replace(/"hashes":\["../, '"hashes":["zz')
  t.is(await check(await changing('consistency', wrong), key, first), 'NOT VERIFIED: the proof of consistency')
  t.is(
    await check(await changing('checkpoint', (text) => text.replace(`\n${size}\n`, `\n${later}\n`))),
    'NOT VERIFIED: the checkpoint',
  )
  const other = (
    await type(['audit', 'key'], { ...env, BERTH_AUDIT_KEY: Buffer.alloc(32, 1).toString('base64') })
  ).out.trim()
  t.is(await check(service.port, other), 'NOT VERIFIED: the checkpoint')
})
