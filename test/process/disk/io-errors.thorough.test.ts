import test from 'ava'
import { seedOf } from '../random.ts'
import { type Fault, failingCalls, nameOf } from './io-errors.ts'

const FAULTS: readonly Fault[] = [
  { call: 'fdatasync', error: 'EIO', when: 3 },
  { call: 'pwrite64', error: 'EIO', when: 6 },
  { call: 'pwrite64', error: 'ENOSPC', when: 5 },
]

test('when the disk fails, no acknowledged write is lost and no unknown outcome is reported as refused', async (t) => {
  t.log(FAULTS.map(nameOf).join(', '))
  const report = await failingCalls(t, FAULTS, seedOf(process.env))
  if (typeof report === 'string') {
    t.log(`NOT RUN: ${report}`)
    t.pass()
    return
  }
  t.deepEqual(report.problems, [])
  t.true(report.acknowledged > 0 && report.troubled >= FAULTS.length)
})
