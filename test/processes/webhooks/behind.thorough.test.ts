import test from 'ava'
import { aSut } from '../../http/requests.ts'
import { hookLab, receive } from './receiver.ts'

test('a webhook that is 10,000 events behind catches up, each event once and in order for each SUT', async (t) => {
  const receiver = await receive(t)
  const lab = await hookLab(t)
  for (let n = 0; n < 10; n++) {
    const suts = Array.from({ length: 500 }, (_, m) => aSut({ name: `bench ${n} ${m}` }))
    const { status, text } = await lab.ask('admin', 'POST /api/sut/import', { suts })
    t.is(status, 200, text)
  }
  const hook = await lab.create(receiver.url, { after: null, types: ['ListenPortAssigned', 'SutCreated'] })
  await receiver.takes(10_002, 120_000)
  t.is(receiver.received.length, 10_002)
  t.is((await lab.deliveriesOf(hook)).length, 100)
  for (const own of Map.groupBy(receiver.received, ({ event }) => event.subject).values())
    t.deepEqual(
      own.map(({ event }) => event.type),
      ['berth.ListenPortAssigned', 'berth.SutCreated'],
    )
})
