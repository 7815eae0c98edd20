import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { respondToChallenge } from '../../../src/gateway/rfb/challenge.ts'
import { SOON, startGateway } from '../harness.ts'
import { HOST } from '../peers.ts'
import { areInstalled, PASSWORD, startXvnc } from './xvnc.ts'

/** Takes a picture with a client that is not ours, which has no password. */
const takePicture = async (listenPort: number, directory: string, name: string): Promise<number> => {
  const picture = join(directory, name)
  // It takes displays, which are ports above 5900.
  const server = `${HOST}:${listenPort - 5900}`
  await promisify(execFile)(
    'vncsnapshot',
    ['-passwd', '/dev/null', '-quiet', '-allowblank', '-encodings', 'raw', server, picture],
    { timeout: SOON },
  )
  return statSync(picture).size
}

test('a client without a password takes a picture of a TigerVNC server that has one', async (t) => {
  if (!areInstalled(t, 'Xvnc', 'vncsnapshot')) return
  const { port, directory } = await startXvnc(t)
  const { forward, see, reported } = startGateway(t, {
    admit: () => ({ admitted: true, isBound: true, hasPassword: true }),
    answerChallenge: (_id, challenge) => respondToChallenge(PASSWORD, challenge),
  })
  const { listenPort } = await forward(port, { protocol: 'vnc' })
  t.true((await takePicture(listenPort, directory, 'one.jpg')) > 500)
  await see('the end', ({ disconnected }) => disconnected.length === 1)
  t.true((reported.disconnected[0]?.bytesFromSut ?? 0) > 500)
  await t.throwsAsync(takePicture(port, directory, 'two.jpg'), undefined, 'control: without Berth it needs one')
})
