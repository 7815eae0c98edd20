import { join } from 'node:path'
import { type Tidying, temporaryData } from '../../http/harness.ts'
import { prepare } from '../crash/ledger.ts'
import { startLoad } from '../crash/load.ts'
import type { Attempt } from '../crash/truth.ts'
import { serve } from '../harness.ts'
import { makeRandom } from '../random.ts'
import { trace } from './strace.ts'
import { problemsOfOrder, readTrace } from './sync-order.ts'

const CONNECTIONS = 16

/** A value that only this answer and its event contain. */
const wordOf = ({ kind, body, answer }: Attempt): string =>
  String(kind === 'update' ? body.description : answer?.json._id)

/** Loads a traced service until so many writes are acknowledged, and compares its answers with the trace, or says why it cannot. */
export const traceSyncs = async (
  scope: Tidying,
  { writes, seed }: { readonly writes: number; readonly seed: number },
) => {
  const home = await temporaryData(scope)
  const service = await serve(scope, { data: join(home, 'data') })
  const target = { client: service, ...(await prepare(service)) }
  const path = join(home, 'trace')
  const calls = 'trace=pwrite64,write,writev,sendto,sendmsg,fsync,fdatasync'
  const traced = await trace(scope, service.pid, ['-y', '-s', '5000', '-e', calls, '-e', 'signal=none', '-o', path])
  if (typeof traced === 'string') return traced
  const load = startLoad(target, makeRandom(seed), CONNECTIONS)
  const acknowledged = (): readonly string[] => [
    ...new Set(load.attempts.filter(({ answer }) => (answer?.status ?? 500) < 300).map(wordOf)),
  ]
  for (let count = writes; acknowledged().length < writes; count += 10) await load.answered(count)
  load.stop()
  await load.ended
  await service.stop()
  await traced.ended
  const seen = await readTrace(path)
  const words = acknowledged()
  const syncs = seen.filter(({ kind }) => kind === 'synced').length
  return { acknowledged: words.length, syncs, problems: problemsOfOrder(seen, words) }
}
