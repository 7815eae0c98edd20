import test from 'ava'
import { readLog } from '../../event-store/new-events.ts'
import { aPath, openStore } from '../../event-store/sqlite/subject.ts'
import { writeStory } from '../rules/lawful-log.ts'
import { verifyFile } from './tamper-and-verify.ts'

test('thorough: random logs with starts and ends are sound', async (t) => {
  const counts = { ReservationStarted: 0, ReservationEnded: 0, ScheduleBegan: 0 }
  for (let seed = 1; seed <= 6; seed++) {
    const path = await aPath(t)
    const store = openStore(t, path)
    await writeStory(store, seed, 400)
    for (const { type } of await readLog(store, -1)) if (type in counts) counts[type as keyof typeof counts]++
    await store.close()
    t.deepEqual((await verifyFile(path, [])).findings, [], `seed ${seed}`)
  }
  t.true(counts.ReservationStarted > 50 && counts.ReservationEnded > 50, JSON.stringify(counts))
  t.is(counts.ScheduleBegan, 6)
})
