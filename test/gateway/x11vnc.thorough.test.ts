import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { respondToChallenge } from '../../src/gateway/rfb/challenge.ts'
import { until } from '../http/until.ts'
import { SOON, startGateway } from './harness.ts'
import { HOST } from './peers.ts'
import { startX11vnc } from './programs.ts'
import { areInstalled, PASSWORD } from './rfb/xvnc.ts'

/** An x11vnc for one viewer behind a gateway, and a client that is not ours, which takes a picture of its screen. */
const given = async (t: ExecutionContext) => {
  const { port, errors } = await startX11vnc(t)
  const { forward } = startGateway(t, {
    admit: () => ({ admitted: true, isBound: true, hasPassword: true }),
    answerChallenge: (_id, challenge) => respondToChallenge(PASSWORD, challenge),
  })
  const { listenPort } = await forward(port, { protocol: 'vnc' })
  const directory = mkdtempSync(join(tmpdir(), 'berth-x11vnc-'))
  t.teardown(() => rmSync(directory, { recursive: true }))
  const picture = join(directory, 'one.jpg')
  // It takes displays, which are ports above 5900.
  const args = ['-passwd', '/dev/null', '-quiet', '-allowblank', '-encodings', 'raw', `${HOST}:${listenPort - 5900}`]
  return {
    target: { host: HOST, port },
    seeConnection: () => until('a connection', async () => errors().includes('Got connection from client'), SOON),
    takePicture: async (): Promise<number> => {
      await promisify(execFile)('vncsnapshot', [...args, picture], { timeout: SOON })
      return statSync(picture).size
    },
  }
}

test('an x11vnc that serves somebody else refuses a viewer', async (t) => {
  if (!areInstalled(t, 'x11vnc', 'Xvfb', 'vncsnapshot')) return
  const { target, seeConnection, takePicture } = await given(t)
  const other = connect(target).on('error', () => undefined)
  await seeConnection()
  await t.throwsAsync(takePicture(), undefined)
  other.destroy()
})
