import test from 'ava'
import { seedOf } from '../random.ts'
import { problemsOfOrder, readCalls } from './sync-order.ts'
import { traceSyncs } from './sync-trace.ts'

test('nothing is acknowledged before it has been written to the log and synced', async (t) => {
  const report = await traceSyncs(t, { writes: 50, seed: seedOf(process.env) })
  if (typeof report === 'string') {
    t.log(`NOT RUN: ${report}`)
    t.pass()
    return
  }
  t.log({ acknowledged: report.acknowledged, syncs: report.syncs })
  t.deepEqual(report.problems, [])
  t.true(report.acknowledged >= 50 && report.syncs > 0)
})

test('control: an answer that was sent during the sync is recognised', async (t) => {
  const WAL = '26</tmp/data/events.db-wal>'
  const calls = [
    `7 pwrite64(${WAL}, "..aa..", 6, 24) = 6`,
    `8 fsync(${WAL} <unfinished ...>`,
    '7 write(31<socket:[4711]>, "aa", 2) = 2',
    '8 <... fsync resumed>) = 0',
  ]
  t.deepEqual(problemsOfOrder(await readCalls(calls), ['aa']), ['aa was sent before it was synced'])
})
