import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { leafHash } from '../../src/event-store/stored-event.ts'
import { type } from '../command-line/terminal.ts'
import { addressOf, startInstances } from '../event-store/eventstoredb/service/instances.ts'
import type { Client } from '../http/client.ts'
import type { Running } from '../http/harness.ts'
import { faultsOf, refusalOf } from '../http/refusals/problems.ts'
import { createSut, NOW } from '../http/requests.ts'
import { makeHold } from '../http/store/held-views.ts'
import { until } from '../http/until.ts'
import { ROOT } from '../process/harness.ts'
import { shellOn } from '../read-models/setting.ts'
import { checkpointOf, given } from './checkpoints.ts'
import { isConsistent, isIncluded, sha256 } from './verify-proof.ts'

const hash = (base64: unknown): Uint8Array => new Uint8Array(Buffer.from(String(base64), 'base64'))
const hashes = (list: unknown): readonly Uint8Array[] => (list as readonly string[]).map(hash)

const eventsOf = async (client: Client): Promise<readonly { readonly id: string }[]> =>
  (await client.get('/api/events?limit=1000')).json.events as readonly { readonly id: string }[]

test('HTTP and the command line return the same signed checkpoint of the log', async (t) => {
  const { service, env } = await given(t)
  const { origin, size, answer } = await checkpointOf(service, env)
  t.deepEqual([origin, size, answer.status], ['berth', 13, 200])
  t.is(answer.headers['content-type'], 'text/plain; charset=utf-8')
  t.is(answer.headers['berth-position'], '00000000000000000012')
  t.is((await type(['checkpoint'], env)).out, answer.text)
  const printed = JSON.parse((await type(['checkpoint', '--json'], env)).out)
  t.deepEqual([printed.origin, printed.size, printed.note], ['berth', 13, answer.text])
})

/** The root of a tree (RFC 9162, section 2.1.1). */
const rootOf = (leaves: readonly Uint8Array[]): Uint8Array => {
  const middle = 2 ** Math.ceil(Math.log2(leaves.length) - 1)
  if (leaves.length < 2) return leaves[0] ?? sha256()
  return sha256(Uint8Array.of(1), rootOf(leaves.slice(0, middle)), rootOf(leaves.slice(middle)))
}

test('every event is proved to be in the log, at every size', async (t) => {
  const { service, env } = await given(t, 5)
  const audrey = service.as('audrey')
  const events = await eventsOf(audrey)
  const { root, size } = await checkpointOf(service, env)
  const leaves: Uint8Array[] = []
  for (const [index, { id }] of events.entries()) {
    const { json } = await audrey.get(`/api/audit/inclusion?event=${id}`)
    t.deepEqual([json.tree_size, json.leaf_index], [size, index])
    const leaf = hash(json.leaf_hash)
    t.true(isIncluded({ leaf, index, size, head: root }, hashes(json.hashes)))
    const { json: proof } = await audrey.get(`/api/audit/inclusion?event=${id}&size=${index + 1}`)
    t.deepEqual(new Uint8Array(leafHash(String(json.leaf))), leaf)
    leaves.push(leaf)
    t.true(isIncluded({ leaf, index, size: index + 1, head: rootOf(leaves) }, hashes(proof.hashes)))
  }
})

test('consistency proofs verify each earlier checkpoint against each later one, and no other root', async (t) => {
  const { service, env } = await given(t, 0)
  const kept = [await checkpointOf(service, env)]
  for (let n = 0; n < 6; n++) {
    await createSut(service.as('admin'))
    kept.push(await checkpointOf(service, env))
  }
  for (const from of kept) {
    for (const to of kept.filter(({ size }) => size >= from.size)) {
      const { json } = await service.as('audrey').get(`/api/audit/consistency?from=${from.size}&to=${to.size}`)
      const [early, late] = [from, to].map(({ size, root }) => ({ size, head: root })) as [Head, Head]
      t.true(isConsistent(early, late, hashes(json.hashes)))
      if (from.size > 0 && from.size < to.size) {
        t.false(isConsistent({ ...early, head: to.root }, late, hashes(json.hashes)))
      }
    }
  }
})

interface Head {
  readonly size: number
  readonly head: Uint8Array
}

test('unknown events, wrong sizes and wrong parameters are refused by name', async (t) => {
  const { service } = await given(t, 1)
  const audrey = service.as('audrey')
  const [event] = await eventsOf(audrey)
  const refusedAt = async (path: string) => {
    const { status, json } = await audrey.get(`/api/audit/${path}`)
    return [status, json.code, ...((json.errors ?? []) as { parameter: string }[]).map(({ parameter }) => parameter)]
  }
  const unknown = '018f36f0-1e2b-7c3d-9a4b-0123456789ab'
  t.deepEqual(await refusedAt(`inclusion?event=${unknown}`), [404, 'event_not_found'])
  // Invalid parameters are reported before unknown ids.
  t.deepEqual(await refusedAt(`inclusion?event=${unknown}&size=9`), [422, 'invalid', 'size'])
  t.deepEqual(await refusedAt('inclusion'), [422, 'invalid', 'event'])
  t.deepEqual(await refusedAt('inclusion?event=1&size=x'), [422, 'invalid', 'event', 'size'])
  t.deepEqual(await refusedAt(`inclusion?event=${event?.id}&size=9`), [422, 'invalid', 'size'])
  t.deepEqual(await refusedAt(`inclusion?event=${event?.id}&size=0`), [422, 'invalid', 'size'])
  t.deepEqual(await refusedAt('consistency'), [422, 'invalid', 'from'])
  t.deepEqual(await refusedAt('consistency?from=2&to=1'), [422, 'invalid', 'from'])
  t.deepEqual(await refusedAt('consistency?from=1&to=9'), [422, 'invalid', 'to'])
  t.deepEqual(await refusedAt('consistency?from=-1'), [422, 'invalid', 'from'])
  t.deepEqual(await refusedAt('checkpoint?size=1'), [422, 'invalid', 'size'])
  t.is((await service.as('alice').get('/api/audit/checkpoint')).json.code, 'forbidden')
  t.is((await service.as('admin').request('HEAD', '/api/audit/checkpoint')).status, 200)
})

test('thorough: instances with one audit key and the command line sign identical checkpoints', async (t) => {
  const { server, services, environment } = await startInstances(t, { count: 2, now: NOW })
  await createSut((services[0] as Running).as('admin'))
  const [one, other] = await Promise.all(
    services.map((service) =>
      service.as('audrey').get('/api/audit/checkpoint', { 'Berth-After': '00000000000000000005' }),
    ),
  )
  t.is(one?.status, 200)
  t.is(one?.text, other?.text)
  const data = (services[0] as Running).data
  const without = { BERTH_DATA: data, BERTH_EVENT_STORE: addressOf(server, 2) }
  const env = { ...environment, ...without }
  t.is((await type(['checkpoint'], env)).out, String(one?.text))
  const { code, error } = await type(['checkpoint'], without)
  t.deepEqual([code, error], [1, `berth: there is no audit key: ${join(data, 'audit.key')} does not exist\n`])
})

test("thorough: proofs of another instance's events wait until the views catch up, instead of failing", async (t) => {
  const hold = makeHold()
  const { services } = await startInstances(t, {
    count: 2,
    now: NOW,
    change: (instance) => (instance === 0 ? undefined : (store) => ({ ...store, ...hold.change(store) })),
  })
  t.teardown(hold.letGo)
  const [one, other] = services as [Running, Running]
  hold.hold()
  await createSut(one.as('admin'))
  const [, first] = await eventsOf(one.as('audrey'))
  const asked = [`inclusion?event=${first?.id}`, 'consistency?from=1&to=2'].map((path) =>
    other.as('audrey').get(`/api/audit/${path}`),
  )
  // When this request is answered, which does not wait, the earlier ones are already waiting.
  const { origin, size } = readNote((await other.as('audrey').get('/api/audit/checkpoint')).text)
  t.deepEqual([origin, size], ['berth', '5'])
  hold.letGo()
  for (const { status, text } of await Promise.all(asked)) t.is(status, 200, text)
})

const readNote = (note: string) => {
  const [origin, size] = note.split('\n')
  return { origin, size }
}

test('while the views cannot be written, proofs are unavailable instead of incomplete', async (t) => {
  const { service } = await given(t, 1)
  const [event] = await eventsOf(service.as('audrey'))
  const shell = shellOn(t, join(service.data, 'views.db'))
  // The service may hold the write lock.
  const isChanged = async (sql: string): Promise<boolean> => {
    try {
      shell.exec(sql)
      return true
    } catch (error) {
      if ((error as Error).message !== 'database is locked') throw error
      return false
    }
  }
  const change = (sql: string) => until(sql, () => isChanged(sql), 60_000)
  await change(`CREATE TRIGGER forbidden BEFORE INSERT ON log BEGIN SELECT RAISE(ABORT, 'the disk is broken'); END`)
  await createSut(service.as('admin'))
  const paths = ['checkpoint', `inclusion?event=${event?.id}`, 'consistency?from=1']
  for (const path of paths) {
    const refused = await service.as('audrey').get(`/api/audit/${path}`)
    t.deepEqual(refusalOf(refused), [503, 'unavailable'], path)
    t.regex(String(refused.json.detail), /^Proofs are unavailable/)
    t.deepEqual(faultsOf(refused), [])
  }
  await change('DROP TRIGGER forbidden')
  const shown = async () => readNote((await service.as('audrey').get('/api/audit/checkpoint')).text).size === '9'
  await until('the checkpoint covers all events', shown, 60_000)
})

/** The verifier script from the guide. */
const verifierIn30Lines = async (): Promise<string> => {
  const chapter = await readFile(join(ROOT, 'src/guide/proof.md'), 'utf8')
  const [, code] = /^```js\n(\/\/ verify-proof\.mjs[\s\S]*?)^```$/m.exec(chapter) ?? []
  return code as string
}

test("thorough: the guide's verifier has 30 lines, accepts a valid proof and rejects altered ones", async (t) => {
  const { service, env } = await given(t, 6)
  const code = await verifierIn30Lines()
  t.true(code.trim().split('\n').slice(1).length <= 30)
  const [script, note, proofFile] = ['verify-proof.mjs', 'note', 'proof.json'].map((name) =>
    join(service.data, name),
  ) as [string, string, string]
  await writeFile(script, code)
  await writeFile(note, `${(await type(['checkpoint'], env)).out}\n`)
  const key = (await type(['audit', 'key'], env)).out.trim()
  t.is((await service.as('alice').get('/api/audit/key')).text, `${key}\n`)
  const events = await eventsOf(service.as('audrey'))
  const verified = async (proof: object, vkey = key) => {
    await writeFile(proofFile, JSON.stringify(proof))
    return promisify(execFile)(process.execPath, [script, note, vkey, proofFile]).then(
      ({ stdout }) => stdout,
      ({ code: exit, stderr }) => `${exit} ${stderr}`,
    )
  }
  const proof = JSON.parse((await type(['audit', 'inclusion', '--event', String(events[10]?.id), '--json'], env)).out)
  t.is(await verified(proof), 'verified: event 10 is in berth at size 17\n')
  const other = Buffer.alloc(32, 1).toString('base64')
  t.regex(await verified({ ...proof, leaf: proof.leaf.replace('"port":', '"port": ') }), /^1 NOT VERIFIED: the event/)
  t.regex(await verified({ ...proof, leaf_index: 4 }), /^1 NOT VERIFIED: the event/)
  t.regex(await verified({ ...proof, hashes: [other, ...proof.hashes.slice(1)] }), /^1 NOT VERIFIED: the event/)
  t.regex(await verified({ ...proof, tree_size: 12 }), /^1 NOT VERIFIED: the size/)
  const foreign = (await type(['audit', 'key'], { ...env, BERTH_AUDIT_KEY: other })).out.trim()
  t.regex(await verified(proof, foreign), /^1 NOT VERIFIED: the checkpoint/)
  await writeFile(note, (await readFile(note, 'utf8')).replace('\n17\n', '\n18\n'))
  t.regex(await verified(proof), /^1 NOT VERIFIED: the checkpoint/)
})
