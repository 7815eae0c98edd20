import { join } from 'node:path'
import test from 'ava'
import { type EventStore, StoreUnavailable } from '../../../src/event-store/event-store.ts'
import { idOf, type Running, start, temporaryData } from '../harness.ts'
import { refusalOf } from '../refusals/problems.ts'
import { changedStore } from '../store/stores.ts'
import { until } from '../until.ts'

const isAlarmed = async (service: Running): Promise<boolean> =>
  (await service.as('audrey').get('/metrics')).text.includes('\nberth_alarm{part="users"} 1\n')

const alarms = ({ log }: Running) => log.filter(({ facts }) => 'alarm' in facts && facts.alarm === 'users')

test('users that cannot be read stay as they were, which raises an alarm in log and metrics', async (t) => {
  const data = await temporaryData(t)
  let isBroken = false
  const change = (store: EventStore): Partial<EventStore> => ({
    readStream: (stream, after) => {
      if (isBroken && stream === 'users') throw new StoreUnavailable('out')
      return store.readStream(stream, after)
    },
  })
  const service = await start(t, { data, openStore: changedStore(join(data, 'events.db'), change) })
  t.false(await isAlarmed(service))
  isBroken = true
  // The removal is recorded, but this instance cannot read it.
  const removed = await service.as('admin').post(`/api/user/${idOf('alice')}/remove`, { reservations: 'keep' })
  t.deepEqual(refusalOf(removed), [503, 'outcome_unknown'])
  await until('the alarm', () => isAlarmed(service), 60_000)
  t.deepEqual(
    alarms(service).map(({ level, sentence }) => [level, sentence]),
    [['error', 'the users cannot be read; retrying']],
  )
  // Their first requests, so no cached credentials are used.
  for (const name of ['alice', 'bob', 'admin']) t.is((await service.as(name).get('/api/user/me')).json.name, name)
  t.is((await service.as('malice').get('/api/user/me')).status, 401)
  t.is((await service.anyone.get('/health/ready')).status, 200)

  isBroken = false
  await until('the end of the alarm', async () => !(await isAlarmed(service)), 60_000)
  t.deepEqual(
    alarms(service).map(({ level }) => level),
    ['error', 'info'],
  )
  t.is((await service.as('alice').get('/api/user/me')).status, 401)
})
