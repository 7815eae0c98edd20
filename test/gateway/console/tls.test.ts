/** Consoles of a service that encrypts its connections. */

import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { request } from 'node:https'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import test, { type ExecutionContext } from 'ava'
import { WebSocket } from 'ws'
import { basic } from '../../http/client.ts'
import { idOf, start } from '../../http/harness.ts'
import { aSut } from '../../http/requests.ts'
import { freePort, startSut } from '../peers.ts'
import { NOW, QUARTER } from './stage.ts'

const CERTIFICATES = join(import.meta.dirname, '../../http/server/certificates')

const given = async (t: ExecutionContext) => {
  const { port: machine } = await startSut(t, (socket) => void socket.pipe(socket))
  const [ca, listenPort] = [await readFile(join(CERTIFICATES, 'first.cert.pem')), await freePort()]
  const service = await start(t, {
    now: NOW,
    environment: {
      BERTH_TLS_CERT: join(CERTIFICATES, 'first.cert.pem'),
      BERTH_TLS_KEY: join(CERTIFICATES, 'first.key.pem'),
      BERTH_GATEWAY: 'on',
      BERTH_LISTEN_PORTS: `${listenPort}-${listenPort}`,
    },
  })
  const origin = `localhost:${service.port}`
  const post = async (who: string, path: string, body: object): Promise<Readonly<Record<string, unknown>>> => {
    const headers = { Authorization: basic(who), 'Content-Type': 'application/json' }
    const sent = request(`https://${origin}${path}`, { method: 'POST', ca, headers, family: 4 })
    sent.end(JSON.stringify(body))
    const [response] = await once(sent, 'response')
    return (await json(response)) as Readonly<Record<string, unknown>>
  }
  const { _id: sut_id } = await post('admin', '/api/sut/create', aSut({ address: '127.0.0.1', port: machine }))
  const { _id } = await post('alice', '/api/sut_reservation/create', { user_id: idOf('alice'), sut_id, ...QUARTER })
  service.tick()
  const open = async (page: string): Promise<WebSocket | number> => {
    const { url } = await post('alice', `/api/sut_reservation/${_id}/console`, {})
    const socket = new WebSocket(`wss://${origin}${url}`, { ca, origin: page, family: 4 })
    t.teardown(() => socket.terminate())
    socket.on('error', () => undefined)
    const refused = once(socket, 'unexpected-response').then(([, { statusCode }]) => statusCode as number)
    return Promise.race([once(socket, 'open').then(() => socket), refused])
  }
  return { service, origin, open }
}

test('over TLS a console passes bytes both ways, to its own pages alone, and closes at a stop', async (t) => {
  const { service, origin, open } = await given(t)
  t.is(await open('https://elsewhere.example'), 403)
  const socket = await open(`https://${origin}`)
  if (typeof socket === 'number') throw new Error(`refused with ${socket}`)
  socket.send(Buffer.from('an echo'))
  t.is(String((await once(socket, 'message'))[0]), 'an echo')
  const closed = once(socket, 'close')
  await service.stop()
  t.is((await closed)[0], 1001)
})
