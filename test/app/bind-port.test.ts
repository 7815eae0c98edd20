import { randomBytes } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import { bindPort } from '../../src/app/bind-port.ts'
import { Misconfigured, readConfig } from '../../src/app/config/config.ts'
import { makeBase } from '../../src/app/core/base.ts'
import { basic, connectTo } from '../http/client.ts'
import { rightOf } from '../users/builders.ts'

const silent = (): void => undefined

const bindAt = (BERTH_HOST: string) => {
  const config = rightOf(readConfig({ BERTH_DATA: '/nowhere', BERTH_HOST, BERTH_PORT: '0' }))
  const log = { info: silent, warn: silent, error: silent }
  const runtime = { clock: Date.now, sinceBoot: Date.now, randomBytes, log, onFatal: silent }
  return bindPort(makeBase(config, runtime), undefined)
}

/** A client of a service that has taken its port and has opened nothing else. */
const startingClient = async (t: ExecutionContext) => {
  const { listening } = await bindAt('127.0.0.1')
  const connections = connectTo(listening.port)
  t.teardown(() => {
    connections.close()
    return listening.close(0)
  })
  return { listening, client: connections.client({ Authorization: basic('admin', 'of a service to come') }) }
}

test('a service that starts is alive, and refuses everything else as not ready', async (t) => {
  const { client } = await startingClient(t)
  t.like(await client.get('/health/live'), { status: 200, json: { status: 'live' } })
  const ready = await client.get('/health/ready')
  t.like(ready, { status: 503, json: { code: 'unavailable', parts: { views: 'behind', users: 'unknown' } } })
  for (const path of ['/', '/api/sut', '/api/nothing', '/metrics', '/health/none']) {
    t.like(await client.get(path), { status: 503, json: { code: 'unavailable' } }, path)
  }
  t.like(await client.post('/api/sut/create', {}), { status: 503, json: { code: 'unavailable' } })
})

test('once the port is handed over, the connections of a start are answered by the service', async (t) => {
  const { listening, client } = await startingClient(t)
  t.is((await client.get('/api/sut')).status, 503)
  listening.setHandler((_, response) => void response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}'))
  t.is((await client.get('/api/sut')).status, 200)
})

test('an address that is not of this machine, and a name without one, are refused with the variable, and no value', async (t) => {
  for (const [host, problem] of [
    ['192.0.2.1', 'BERTH_HOST is not an address of this machine'],
    ['berth.invalid', 'BERTH_HOST is a host name that cannot be resolved'],
  ] as const)
    await t.throwsAsync(bindAt(host), { instanceOf: Misconfigured, message: problem }, host)
})
