import test from 'ava'
import { EVENTS_OF_START, people, start } from '../harness.ts'
import { allEventsOf } from '../store/log-rows.ts'

test('the first users are recorded after what a start records, without names and hashes', async (t) => {
  const service = await start(t)
  const all = await allEventsOf(service)
  const added = all.filter(({ type }) => type === 'UserAdded')
  t.deepEqual(
    added.map(({ data, metadata: { actor, role } }) => [data._id, data.role, actor, role]),
    (await people()).map(({ _id, role }) => [_id, role, 'berth', 'system']),
  )
  t.is(all.length, EVENTS_OF_START)
  t.false(/"(admin|alice|bob|audrey)"|argon2/.test(JSON.stringify(added)))
})

test('a log that has users gets no others at a start', async (t) => {
  const first = await start(t)
  await first.stop()
  const service = await start(t, { data: first.data, firstUsers: 'administrator' })
  t.is((await service.as('admin').get('/api/user')).json.count, 4)
})
