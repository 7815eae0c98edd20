import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { temporaryData } from '../../http/harness.ts'
import { prepare } from '../crash/ledger.ts'
import { startLoad } from '../crash/load.ts'
import { type Service, serve } from '../harness.ts'
import { makeRandom } from '../random.ts'
import { trace } from './strace.ts'

/** Enough writes for several WAL checkpoints of the log and of the views. */
const WRITES = 6_000
const CONNECTIONS = 32

const load = async (service: Service, writes: number) => {
  const running = startLoad({ client: service, ...(await prepare(service)) }, makeRandom(1), CONNECTIONS)
  // Lists have the views written, also while their WAL is checkpointed.
  for (let count = 50; count <= writes; count += 50) {
    await running.answered(count)
    await service.get('/api/sut_reservation')
  }
  running.stop()
  await running.ended
}

/** The number of syncs of a traced process, by thread. */
const syncsOf = async (path: string): Promise<ReadonlyMap<number, number>> => {
  const syncs = new Map<number, number>()
  for (const line of (await readFile(path, 'utf8')).split('\n')) {
    const [, thread] = /^(\d+) +f(?:data)?sync\(/.exec(line) ?? []
    if (thread !== undefined) syncs.set(Number(thread), (syncs.get(Number(thread)) ?? 0) + 1)
  }
  return syncs
}

const given = async (t: ExecutionContext) => {
  const home = await temporaryData(t)
  return { home, service: await serve(t, { data: join(home, 'data') }) }
}

test('the thread that answers requests never waits for a sync', async (t) => {
  const { home, service } = await given(t)
  const path = join(home, 'trace')
  const traced = await trace(t, service.pid, ['-e', 'trace=fsync,fdatasync', '-e', 'signal=none', '-o', path])
  if (typeof traced === 'string') return t.log(traced)
  await load(service, WRITES)
  // The service still runs: stopping it would sync its files.
  const syncs = await syncsOf(path)
  t.is(syncs.get(service.pid), undefined)
  t.true(syncs.size > 0)
  t.log([...syncs.values()])
})

test('health checks are answered while every sync stalls', async (t) => {
  const { service } = await given(t)
  const { suts, user } = await prepare(service)
  const stalling = ['-e', 'trace=fsync,fdatasync', '-e', 'inject=fsync,fdatasync:delay_enter=60s', '-e', 'signal=none']
  const traced = await trace(t, service.pid, [...stalling, '-o', '/dev/null'])
  if (typeof traced === 'string') return t.log(traced)
  let answered = 0
  for (let n = 0; n < 200; n++) {
    const body = { sut_id: suts[n % suts.length], user_id: user, start_in: 900 * n, duration: 900 }
    const count = (): number => answered++
    service.post('/api/sut_reservation/create', body).then(count, () => undefined)
  }
  for (let n = 0; n < 100; n++) t.is((await service.get('/health/live')).status, 200)
  t.is(answered, 0, 'no write has been synced')
})
