import { cp, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { type Tidying, temporaryData } from '../../http/harness.ts'
import { aSut } from '../../http/requests.ts'
import { run, runProcess, serve } from '../harness.ts'

const COUNT = 10

/** The data of a service that was killed when its views had ten SUTs that are in the WAL of the log alone. */
const killed = async (t: Tidying) => {
  const home = await temporaryData(t)
  const data = join(home, 'data')
  await (await serve(t, { data })).stop()
  await cp(data, join(home, 'before'), { recursive: true })
  const service = await serve(t, { data })
  for (let n = 0; n < COUNT; n++) await service.post('/api/sut/create', aSut({ name: `SUT ${n}` }))
  const isWritten = async () => (await run({ data, args: ['replay', '--json'] })).output.includes('"behind":0')
  while (!(await isWritten()));
  service.signal('SIGKILL')
  await service.exited
  await rm(join(data, 'berth.sock'))
  return { home, data }
}

const startOn = (t: Tidying, data: string) => runProcess(t, { data, args: ['serve'], env: { BERTH_PORT: '0' } })

const countSuts = async (t: Tidying, data: string): Promise<[unknown, string]> => {
  const service = await serve(t, { data })
  const { json } = await service.get('/api/sut')
  await service.stop()
  return [json.count, service.output()]
}

test('an empty file in the place of the WAL starts the service, whose log says what is lost', async (t) => {
  const { data } = await killed(t)
  await rm(join(data, 'events.db-wal'))
  await writeFile(join(data, 'events.db-wal'), '')
  const found = await run({ data, args: ['verify'] })
  t.is(found.code, 3)
  t.regex(found.output, /views\.db was made from 20 events at positions \d+ to \d+, which the log lacks/)
  const [count, output] = await countSuts(t, data)
  t.is(count, 0)
  const line = output.split('\n').find((text) => text.includes('its WAL is empty')) ?? '{}'
  const { ends_at, lost_from, lost_up_to } = JSON.parse(line)
  t.deepEqual([lost_from, lost_up_to], [ends_at + 1, ends_at + 2 * COUNT])
  t.deepEqual((await run({ data, args: ['replay'] })).code, 0)
})

test('a log that was replaced by an older copy beside newer views is refused until these are moved away', async (t) => {
  const { home, data } = await killed(t)
  for (const name of await readdir(data)) if (name.startsWith('events.db')) await rm(join(data, name))
  await cp(join(home, 'before', 'events.db'), join(data, 'events.db'))
  t.is((await run({ data, args: ['verify'] })).code, 3)
  const { code, errors } = await startOn(t, data)
  t.is(code, 1)
  t.regex(errors, /^berth: .*views\.db was made from 20 events .*: restore the log, or, if it is right as it is, move /)
  for (const name of ['views.db', 'views.db-wal', 'views.db-shm']) await rm(join(data, name), { force: true })
  t.is((await countSuts(t, data))[0], 0)
})
