import test, { type ExecutionContext } from 'ava'
import { seedOf } from '../random.ts'
import { problemsOfOrder, readCalls } from './sync-order.ts'
import { type SyncTraceReport, traceSyncs } from './sync-trace.ts'

const traced = async (t: ExecutionContext, isUnsynced: boolean): Promise<SyncTraceReport | undefined> => {
  const report = await traceSyncs(t, { writes: 50, seed: seedOf(process.env), isUnsynced })
  if (typeof report !== 'string') return report
  t.log(`NOT RUN: ${report}`)
  t.pass()
  return undefined
}

test('nothing is acknowledged before it has been written to the log and synced', async (t) => {
  const report = await traced(t, false)
  if (report === undefined) return
  t.log({ acknowledged: report.acknowledged, syncs: report.syncs })
  t.deepEqual(report.problems, [])
  t.true(report.acknowledged >= 50 && report.syncs > 0)
})

test('control: a service that does not sync its commits is detected', async (t) => {
  const report = await traced(t, true)
  if (report === undefined) return
  t.true(report.problems.length >= report.acknowledged / 2, `${report.problems.length} of ${report.acknowledged}`)
})

const WAL = '26</tmp/data/events.db-wal>'
const SOCKET = '31<socket:[4711]>'

const orders: Readonly<Record<string, readonly [readonly string[], readonly string[]]>> = {
  'written, synced and sent': [
    [`7 pwrite64(${WAL}, "..aa..", 6, 24) = 6`, `7 fsync(${WAL}) = 0`, `7 write(${SOCKET}, "aa", 2) = 2`],
    [],
  ],
  'sent during the sync': [
    [
      `7 pwrite64(${WAL}, "..aa..", 6, 24) = 6`,
      `8 fsync(${WAL} <unfinished ...>`,
      `7 write(${SOCKET}, "aa", 2) = 2`,
      '8 <... fsync resumed>) = 0',
    ],
    ['aa was sent before it was synced'],
  ],
  'written during an earlier sync': [
    [
      `8 fsync(${WAL} <unfinished ...>`,
      `7 pwrite64(${WAL}, "..aa..", 6, 24) = 6`,
      '8 <... fsync resumed>) = 0',
      `7 write(${SOCKET}, "aa", 2) = 2`,
    ],
    ['aa was sent before it was synced'],
  ],
  'sent after a failed sync': [
    [
      `7 pwrite64(${WAL}, "..aa..", 6, 24) = 6`,
      `7 fsync(${WAL}) = -1 EIO (Input/output error) (INJECTED)`,
      `7 write(${SOCKET}, "aa", 2) = 2`,
    ],
    ['aa was sent before it was synced'],
  ],
  'sent after a sync of another file': [
    [
      `7 pwrite64(${WAL}, "..aa..", 6, 24) = 6`,
      '7 fsync(27</tmp/data/views.db-wal>) = 0',
      `7 write(${SOCKET}, "aa", 2) = 2`,
    ],
    ['aa was sent before it was synced'],
  ],
  'sent and never written': [[`7 write(${SOCKET}, "aa", 2) = 2`], ['aa was never written to the log']],
}

for (const [how, [lines, problems]] of Object.entries(orders)) {
  test(`the trace check recognises an answer that was ${how}`, async (t) => {
    t.deepEqual(problemsOfOrder(await readCalls(lines), ['aa']), problems)
  })
}
