import test from 'ava'
import { seedOf } from '../random.ts'
import { sessionCrashRounds } from './sessions.ts'

test('a service killed under load closes its sessions, records each start and end, and forwards', async (t) => {
  const seed = seedOf(process.env)
  const report = await sessionCrashRounds(t, { rounds: 6, seed })
  t.log({ seed, ...report })
  t.deepEqual(report.problems, [])
  t.true(report.sessions > 0 && report.starts > 0 && report.ends > 0 && report.reached > 0)
})
