import test from 'ava'
import { areInstalled } from '../../tools.ts'
import { loggingIn, startGateway } from '../harness.ts'
import { PASSWORD, startXvnc, takePicture } from './xvnc.ts'

test('a client without a password takes a picture of a TigerVNC server that has one', async (t) => {
  if (!areInstalled(t, 'Xvnc', 'vncsnapshot')) return
  const { port, directory } = await startXvnc(t)
  const { forward, see, reported } = startGateway(t, loggingIn(PASSWORD))
  const { listenPort } = await forward(port, { protocol: 'vnc' })
  t.true((await takePicture(listenPort, directory)) > 500)
  await see('the end', ({ disconnected }) => disconnected.length === 1)
  t.true((reported.disconnected[0]?.bytesFromSut ?? 0) > 500)
  await t.throwsAsync(takePicture(port, directory), undefined, 'control: without Berth it needs one')
})
