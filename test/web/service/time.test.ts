import test from 'ava'
import { currentTime, learnTime } from '../../../src/web/service/time.ts'

test('the time is that of the service to the second, however wrong the clock of the browser is', (t) => {
  const differences = [120_000, 120_600, 119_000, -3_600_000, 0].map((ahead) => {
    const now = Date.now()
    learnTime(new Date(now + ahead).toUTCString(), now)
    return Math.round((currentTime() - Date.now() - ahead) / 1_000)
  })
  t.true(differences.every((each) => Math.abs(each) <= 1))
  const before = currentTime() - Date.now()
  learnTime(null, Date.now())
  t.is(Math.round((currentTime() - Date.now() - before) / 1_000), 0)
})
