import { join } from 'node:path'
import { type Tidying, temporaryData } from '../../http/harness.ts'
import { type Service, serve } from '../harness.ts'
import { makeRandom } from '../random.ts'
import { openLedger, prepare } from './ledger.ts'
import { startLoad } from './load.ts'

export interface CrashOptions {
  readonly rounds: number
  readonly seed: number
  readonly connections?: number
  /** Number of rounds between comparisons of the documents with a rebuild. */
  readonly replayEvery?: number
  readonly onRound?: (round: number) => void
}

/** The process is killed within this many milliseconds after the first answers. */
const KILL_WITHIN = 120

/** Each round loads the service, kills it at a random moment, restarts it and checks it, all on one log. */
export const crashRounds = async (scope: Tidying, options: CrashOptions) => {
  const { rounds, seed, connections = 16, replayEvery = 1, onRound } = options
  const random = makeRandom(seed)
  const data = join(await temporaryData(scope), 'data')
  const ledger = openLedger(data)
  const problems: string[] = []
  const counts = { acknowledged: 0, refused: 0, unanswered: 0 }
  let service: Service = await serve(scope, { data })
  const { suts, user } = await prepare(service)

  for (let round = 1; round <= rounds && problems.length === 0; round++) {
    const load = startLoad({ client: service, suts, user }, random, connections)
    await load.answered(connections)
    // Kills at a random time on purpose, so it waits for no condition.
    const kill = setTimeout(() => service.signal('SIGKILL'), random.below(KILL_WITHIN))
    const { signal } = await service.exited
    clearTimeout(kill)
    if (signal !== 'SIGKILL') problems.push(`ended by itself: ${service.output()} ${service.errors()}`)
    await load.ended
    for (const { answer } of load.attempts) {
      if (answer === undefined) counts.unanswered++
      else if (answer.status < 300) counts.acknowledged++
      else counts.refused++
    }
    service = await serve(scope, { data })
    problems.push(...(await ledger.look(service, load.attempts, { isReplayed: round % replayEvery === 0 })))
    onRound?.(round)
  }
  const { code } = await service.stop()
  if (code !== 0) problems.push(`stopped with ${code}: ${service.errors()}`)
  problems.push(...(await ledger.close()))
  return { ...counts, events: ledger.events(), problems }
}
