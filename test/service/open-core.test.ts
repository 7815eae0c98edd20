import test from 'ava'
import { closeEach } from '../../src/service/open-core.ts'

test('what was opened first is closed last, whatever fails before, and the first failure is told', async (t) => {
  const closed: string[] = []
  const close = (name: string) => () => void closed.push(name)
  const fail = (name: string) => async () => {
    close(name)()
    throw new Error(`${name} does not close`)
  }
  const opened = [close('lock'), close('store'), fail('views'), fail('server')]
  await t.throwsAsync(closeEach(opened), { message: 'server does not close' })
  t.deepEqual(closed, ['server', 'views', 'store', 'lock'])
  t.deepEqual(opened, [])
})
