import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { type Running, start } from '../harness.ts'
import { until } from '../until.ts'

const isAlarmed = async (service: Running): Promise<boolean> =>
  (await service.as('audrey').get('/metrics')).text.includes('\nberth_alarm{part="users"} 1\n')

const alarms = ({ log }: Running) => log.filter(({ facts }) => 'alarm' in facts && facts.alarm === 'users')

test('a broken users file keeps the last known good users and raises an alarm in log and metrics', async (t) => {
  const service = await start(t)
  const path = join(service.data, 'users.json')
  const good = await readFile(path, 'utf8')
  t.false(await isAlarmed(service))
  // Alice is missing from it, but the file cannot be parsed.
  await writeFile(path, good.replaceAll('alice', 'malice').slice(0, -3))
  await until('the alarm', () => isAlarmed(service), 10_000)
  t.deepEqual(
    alarms(service).map(({ level }) => level),
    ['error'],
  )
  t.regex(alarms(service)[0]?.sentence ?? '', /the previous users stay in use: .*users\.json is not a users file/)
  // Their first requests, so no cached credentials are used.
  for (const name of ['alice', 'bob', 'admin']) t.is((await service.as(name).get('/api/user/me')).json.name, name)
  t.is((await service.as('malice').get('/api/user/me')).status, 401)
  t.is((await service.anyone.get('/health/ready')).status, 200)

  await writeFile(path, good.replaceAll('alice', 'malice'))
  await until('the end of the alarm', async () => !(await isAlarmed(service)), 10_000)
  t.deepEqual(
    alarms(service).map(({ level }) => level),
    ['error', 'info'],
  )
  t.is((await service.as('alice').get('/api/user/me')).status, 401)
})
