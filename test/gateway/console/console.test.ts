import { join } from 'node:path'
import test from 'ava'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { temporaryData } from '../../http/harness.ts'
import { changedStore } from '../../http/store/stores.ts'
import { areInstalled } from '../../tools.ts'
import { connectTo, peer, startSut } from '../peers.ts'
import { line, PASSWORD as SPOKEN, speakAsSut } from '../rfb/speakers.ts'
import { PASSWORD, startXvnc } from '../rfb/xvnc.ts'
import { consoleOf, forwarding, running, ticketFor, tryAt } from './stage.ts'

test('a console speaks RFB with a TigerVNC server whose password the client does not know', async (t) => {
  if (!areInstalled(t, 'Xvnc')) return
  const { port } = await startXvnc(t)
  const stage = await forwarding(t, { port, password: PASSWORD })
  const path = await running(stage)
  const { socket, take, closed } = await consoleOf(t, stage, path, {}, ['binary'])
  t.is(socket.protocol, 'binary')
  t.is(String(await take(12)), 'RFB 003.008\n')
  socket.send('RFB 003.008\n', { binary: true })
  t.deepEqual([...(await take(2))], [1, 1], 'security type None alone')
  // Chooses it, and shares the screen.
  socket.send(Buffer.from([1]))
  t.deepEqual([...(await take(4))], [0, 0, 0, 0])
  socket.send(Buffer.from([1]))
  const init = await take(24)
  t.deepEqual([init.readUInt16BE(0), init.readUInt16BE(2)], [320, 200], 'the size of the screen')
  const { json } = await stage.service.as('alice').get(`${path}/connection`)
  t.is(json.connections, 1)
  socket.close()
  t.is(await closed, 1005)
})

test('where anybody may connect, Berth logs in only for the console', async (t) => {
  const { port } = await startSut(t, (socket) => {
    speakAsSut(peer(socket), { version: '3.8', types: [2] }).catch(() => undefined)
  })
  const stage = await forwarding(t, { port, password: SPOKEN }, { environment: { BERTH_GATEWAY_CLIENTS: 'any' } })
  const path = await running(stage)
  const viewer = await connectTo(t, stage.listenPort)
  t.is(String(await viewer.take(12)), line('3.8'))
  viewer.socket.write(line('3.8'))
  t.deepEqual([...(await viewer.take(2))], [1, 2], 'the password is asked for')
  const { socket, take } = await consoleOf(t, stage, path)
  t.is(String(await take(12)), line('3.8'))
  socket.send(Buffer.from(line('3.8')))
  t.deepEqual([...(await take(2))], [1, 1], 'it is not')
})

test('a password that was altered is a fault that the log names, not a store that cannot be read', async (t) => {
  const data = await temporaryData(t)
  let altered: string | undefined
  const alter = ({ readSecrets }: EventStore): Partial<EventStore> => ({
    readSecrets: async (...owners) =>
      (await readSecrets(...owners)).map((secret) =>
        secret.owner === altered ? { ...secret, nonce: new Uint8Array(12) } : secret,
      ),
  })
  const openStore = changedStore(join(data, 'events.db'), alter)
  const stage = await forwarding(t, { password: SPOKEN }, { data, openStore })
  const ticket = await ticketFor(stage, await running(stage))
  altered = stage.sutId
  t.deepEqual(await tryAt(t, stage, ticket), [500, 'internal'])
  const failed = stage.service.log.find(({ sentence }) => sentence === 'a request failed')
  const { err } = { err: undefined, ...failed?.facts }
  t.regex(String(err), /the password cannot be read/)
})
