/**
 * Berth compared with an upper limit and with alternatives: servers on one core, load on the other, all servers of a
 * part running and warm, short samples in alternating order. Ratios are of samples of one round; absolute figures depend
 * on the machine. Exits with 1 if a bound was missed or the machine was too busy to tell.
 */

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { isLinux, LOAD_CORE, requireTools } from './measure/processes.ts'
import { isInDoubt, type TableRow, tableOf } from './measure/table.ts'
import { besidePagesRows } from './parts/beside-pages.ts'
import { besideWebhookRows } from './parts/beside-webhook.ts'
import { createRows } from './parts/creates.ts'
import { gatewayRows } from './parts/gateway.ts'
import { matchingRows } from './parts/matching.ts'
import { readRows } from './parts/reads.ts'
import { reportRows } from './parts/reports.ts'
import { waitingRows } from './parts/waiting.ts'
import { scaleRows } from './scale/scale.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '11' },
    seconds: { type: 'string', default: '1' },
    only: {
      type: 'string',
      default: 'creates,reads,scale,gateway,beside-pages,beside-webhook,matching,waiting,reports',
    },
    events: { type: 'string', default: '1000000' },
  },
})
const say = (line: string): boolean => process.stderr.write(`${line}\n`)
const wholeNumber = (name: 'rounds' | 'seconds' | 'events'): number => {
  if (/^[1-9]\d*$/.test(values[name])) return Number(values[name])
  say(`bench: --${name} must be a whole number above 0`)
  process.exit(2)
}
const [rounds, seconds, events] = [wholeNumber('rounds'), wholeNumber('seconds'), wholeNumber('events')]

const machine = (): string => {
  const wrk = /^wrk (\S+)/.exec(spawnSync('wrk', ['-v'], { encoding: 'utf8' }).stdout)?.[1]
  const facts = [
    `${cpus().length} cores of ${cpus()[0]?.model}`,
    `Node ${process.versions.node}`,
    `wrk ${wrk}`,
    `${rounds} rounds of ${seconds} s`,
  ]
  if (!isLinux) facts.push('cores not separated, and load of other processes unknown, as there is no /proc')
  return facts.join(', ')
}

type Part = (directory: string) => Promise<readonly TableRow[]>

const PARTS: Readonly<Record<string, Part>> = {
  creates: (directory) => createRows({ rounds, seconds, directory, say }),
  reads: (directory) => readRows({ rounds, seconds, directory, say }),
  scale: () => scaleRows({ events, say }),
  gateway: (directory) => gatewayRows({ rounds, seconds, directory, say }),
  'beside-pages': (directory) => besidePagesRows({ rounds, seconds, directory, say }),
  'beside-webhook': (directory) => besideWebhookRows({ rounds, seconds, directory, say }),
  matching: (directory) => matchingRows({ rounds, seconds, directory, say }),
  waiting: (directory) => waitingRows({ rounds, seconds, directory, say }),
  reports: (directory) => reportRows({ rounds, events, directory, say }),
}

const partOf = (name: string): Part => {
  const part = PARTS[name]
  if (part !== undefined) return part
  say(`bench: --only takes ${Object.keys(PARTS).join(', ')}`)
  process.exit(2)
}
const parts = values.only.split(',').map((name) => ({ name, part: partOf(name) }))

const run = async (part: Part): Promise<readonly TableRow[]> => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-bench-'))
  try {
    return await part(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

requireTools()
// On the load's core, so that it does not compete with the servers.
if (isLinux) execFileSync('taskset', ['-acp', LOAD_CORE, String(process.pid)])
const rows: TableRow[] = []
for (const { name, part } of parts) {
  say(`--- ${name}`)
  rows.push(...(await run(part)))
}
process.stdout.write(`${machine()}\n\n${tableOf(rows)}`)
if (rows.some(isInDoubt)) process.exitCode = 1
