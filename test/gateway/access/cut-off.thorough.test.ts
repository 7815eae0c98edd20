import test from 'ava'
import { until } from '../../http/until.ts'
import { makeCut, REFUSED_WITHIN } from '../../users/instances/stage.ts'
import { connectThrough, given, stillWorks, twoInstances } from './stage.ts'

test('on an instance cut off for more than 10 s open connections stand, and new ones to bound reservations are taken', async (t) => {
  const { cut, restore, change } = makeCut()
  const place = await twoInstances(t, change)
  const stage = await given(t, place)
  const { console, connection, listenPort } = stage.carol
  cut()
  const isRefused = async (): Promise<boolean> => (await place.serving.as('carol').get('/api/sut')).status === 503
  await until('it refuses who needs a user', isRefused, REFUSED_WITHIN)

  connection.socket.write('open')
  t.is(String(await connection.take(4)), 'open')
  console.socket.send(Buffer.from('console'))
  t.is(String(await console.take(7)), 'console')
  const later = await connectThrough(t, place, listenPort)
  later.socket.write('new')
  t.is(String(await later.take(3)), 'new')
  t.true(await isRefused(), 'it is cut off still')

  restore()
  await until('it answers', async () => !(await isRefused()), REFUSED_WITHIN)
  await stillWorks(t, stage, stage.carol)
})
