import { join } from 'node:path'
import { type Tidying, temporaryData } from '../../http/harness.ts'
import { openLedger, prepare } from '../crash/ledger.ts'
import { type Load, startLoad } from '../crash/load.ts'
import { type Service, serve } from '../harness.ts'
import { makeRandom } from '../random.ts'
import { trace } from './strace.ts'

/** An error that the kernel returns for a call on the log's file. */
export interface Fault {
  readonly call: 'fdatasync' | 'pwrite64'
  readonly error: 'EIO' | 'ENOSPC'
  /** Which of the calls fails, from 1. */
  readonly when: number
  /** Whether every call from then on fails. */
  readonly isLasting?: boolean
}

export const nameOf = ({ call, error, when, isLasting }: Fault): string =>
  `${error} at ${call} ${when}${isLasting ? ' and after' : ''}`

/** Whether the service must exit because the state of the disk is unknown. */
const isFatal = ({ call, error }: Fault): boolean => call === 'fdatasync' || error === 'EIO'

/** After a disk failure the service must not be ready, must stop answering and must exit by itself. */
const endingProblems = async (service: Service, load: Load): Promise<readonly string[]> => {
  await load.answeredWith(503)
  const ready = await service.get('/health/ready').catch(() => undefined)
  const { code } = await service.exited
  await load.ended
  return [
    ...(ready?.status === 200 ? ['ready after the disk failed'] : []),
    ...(code === 1 ? [] : [`exited with ${code}`]),
    ...(load.attempts.some(({ answer }) => answer?.json.code === 'outcome_unknown') ? [] : ['no outcome was unknown']),
  ]
}

/** After a single full-disk error the service must continue. */
const continuingProblems = async (service: Service, load: Load): Promise<readonly string[]> => {
  await load.answeredWith(503)
  await load.answeredWith(201)
  const ready = await service.get('/health/ready')
  load.stop()
  await load.ended
  const { code } = await service.stop()
  return [
    ...(ready.status === 200 ? [] : ['not ready']),
    ...(code === 0 ? [] : [`exited with ${code}`]),
    ...(load.attempts.some(({ answer }) => answer?.json.code === 'store_full')
      ? []
      : ['nothing was answered store_full']),
  ]
}

/** The strace arguments that make a call on one file fail. */
const injecting = ({ call, error, when, isLasting }: Fault, file: string): readonly string[] => {
  const injected = `inject=${call}:error=${error}:when=${when}${isLasting ? '+' : ''}`
  return ['-P', file, '-e', `trace=${call}`, '-e', injected, '-e', 'signal=none', '-o', '/dev/null']
}

/** Makes calls on the log's file fail under load, one fault after another. Returns the reason if it cannot. */
export const failingCalls = async (
  scope: Tidying,
  faults: readonly Fault[],
  seed: number,
  onFault: (fault: Fault) => void = () => undefined,
) => {
  const random = makeRandom(seed)
  const data = join(await temporaryData(scope), 'data')
  const ledger = openLedger(data)
  const problems: string[] = []
  /** `troubled` are answers with 503. */
  const counts = { acknowledged: 0, troubled: 0 }
  let service = await serve(scope, { data })
  const prepared = await prepare(service)
  for (const fault of faults) {
    const traced = await trace(scope, service.pid, injecting(fault, join(data, 'events.db-wal')))
    if (typeof traced === 'string') return traced
    const load = startLoad({ client: service, ...prepared }, random, 8)
    const seen = await (isFatal(fault) ? endingProblems : continuingProblems)(service, load)
    await traced.ended
    for (const { answer } of load.attempts) {
      if (answer !== undefined && answer.status < 300) counts.acknowledged++
      if (answer?.status === 503) counts.troubled++
    }
    service = await serve(scope, { data })
    const found = await ledger.look(service, load.attempts, { isTrouble: true, isReplayed: fault.when % 10 === 1 })
    problems.push(...[...seen, ...found].map((problem) => `${nameOf(fault)}: ${problem}`))
    onFault(fault)
    if (problems.length > 0) break
  }
  await service.stop()
  problems.push(...(await ledger.close()))
  return { faults: faults.length, ...counts, problems }
}
