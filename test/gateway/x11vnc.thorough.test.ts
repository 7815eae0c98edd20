import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { probe } from '../../src/gateway/probe/probe.ts'
import { respondToChallenge } from '../../src/gateway/rfb/challenge.ts'
import { until } from '../http/until.ts'
import { SOON, startGateway } from './harness.ts'
import { HOST } from './peers.ts'
import { startX11vnc } from './programs.ts'
import { areInstalled, PASSWORD } from './rfb/xvnc.ts'

/** An x11vnc for one viewer behind a gateway, and a client that is not ours, which takes a picture of its screen. */
const given = async (t: ExecutionContext) => {
  const { port, errors } = await startX11vnc(t)
  const { gateway, forward } = startGateway(t, {
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
    gateway,
    seeConnection: () => until('a connection', async () => errors().includes('Got connection from client'), SOON),
    takePicture: async (): Promise<number> => {
      await promisify(execFile)('vncsnapshot', [...args, picture], { timeout: SOON })
      return statSync(picture).size
    },
  }
}

test('a viewer waits for the probe of an x11vnc, which serves one', async (t) => {
  if (!areInstalled(t, 'x11vnc', 'Xvfb', 'vncsnapshot')) return
  for (let n = 0; n < 3; n++) {
    const { target, gateway, seeConnection, takePicture } = await given(t)
    const options = { isOwn: () => false, signal: new AbortController().signal }
    const release = gateway.hold(target)
    const probing = probe({ ...target, sut_type: 'vnc', password: PASSWORD }, options).finally(release)
    await seeConnection()
    t.true((await takePicture()) > 500)
    t.is(await probing, undefined)
  }
  const { target, seeConnection, takePicture } = await given(t)
  const other = connect(target).on('error', () => undefined)
  await seeConnection()
  await t.throwsAsync(takePicture(), undefined, 'control: it refuses a viewer beside another connection')
  other.destroy()
})
