import { execFileSync } from 'node:child_process'
import { costOfCrowd } from '../../feed/crowd.ts'
import { tidyingLater } from '../../http/harness.ts'
import { besideSlowClients } from '../../http/server/beside-slow-clients.ts'
import { besideStarts } from '../../processes/starts/beside-starts.ts'
import { BOTH_CORES, isLinux, LOAD_CORE } from '../measure/processes.ts'
import type { TableRow } from '../measure/table.ts'

/** Requests beside much else that one instance does, to the same without it: services and clients share both cores. */

const SLOW = { idle: 200, headers: 20, bodies: 20, dripEvery: 50 }
const MOST = { most: 2 }

const pin = (cores: string): void => {
  if (isLinux) execFileSync('taskset', ['-acp', cores, String(process.pid)])
}

export const besideOthersRows = async ({ rounds }: { readonly rounds: number }): Promise<readonly TableRow[]> => {
  const later = tidyingLater()
  pin(BOTH_CORES)
  try {
    const slow = await besideSlowClients(later, SLOW, { rounds, alone: 200, beside: 200 })
    const crowd = await costOfCrowd(later, { readers: 999, writes: 600, pause: 50 })
    const starts = await besideStarts(later, 10_000)
    return [
      { what: '200 idle and 40 dripping connections: latency of reads', figures: [slow.ratio], must: MOST },
      { what: '1,000 readers of events, one stalled: p99 of 20 writes a second', figures: [crowd.ratio], must: MOST },
      { what: '10,000 starts in a second: p99 of creates', figures: [starts.ratio], must: MOST },
    ]
  } finally {
    await later.tidy()
    pin(LOAD_CORE)
  }
}
