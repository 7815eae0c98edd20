/** A store that requires TLS and credentials. */

import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import { aSut } from '../../http/requests.ts'
import { until } from '../../http/until.ts'
import { aStarting, ready } from './service/outage.ts'

const certificates = fileURLToPath(new URL('../../http/server/certificates/', import.meta.url))
const [own, foreign] = ['first', 'second'].map((name) => encodeURIComponent(`${certificates}${name}.cert.pem`))
const users = { berth: 'a:secret/for@the store' }

const given = async (t: ExecutionContext, address: (port: number) => string) => {
  const [certificate, key] = await Promise.all(
    ['cert', 'key'].map((kind) => readFile(`${certificates}first.${kind}.pem`, 'utf8')),
  )
  return aStarting(t, { users, tls: { certificate: certificate as string, key: key as string }, addressAt: address })
}

const named = `berth:${encodeURIComponent(users.berth)}@`

for (const [how, address] of Object.entries({
  'a node': (port: number) => `esdb://${named}localhost:${port}?tlsCAFile=${own}`,
  'a cluster with a discovered leader': (port: number) => `esdb+discover://${named}localhost:${port}?tlsCAFile=${own}`,
  'a cluster with several listed nodes': (port: number) =>
    `esdb://${named}localhost:${port},localhost:${port}?tlsCAFile=${own}`,
})) {
  test(`the service works over TLS with credentials on ${how}`, async (t) => {
    const { begin, log } = await given(t, address)
    const service = await begin()
    await ready(service)
    t.is((await service.as('admin').post('/api/sut/create', aSut())).status, 201)
    t.false(JSON.stringify(log).includes('a:secret'))
    t.is((await service.as('admin').get('/api/sut')).json.count, 1)
  })
}

for (const [how, hosts] of Object.entries({
  'a node': (port: number) => `localhost:${port}`,
  'a cluster': (port: number) => `localhost:${port},localhost:${port}`,
})) {
  test(`thorough: a start ends when the authority of ${how} is missing, names it, and sends nothing`, async (t) => {
    for (const authority of ['', `?tlsCAFile=${foreign}`]) {
      const { server, begin, log } = await given(t, (port) => `esdb://${named}${hosts(port)}${authority}`)
      const error = await t.throwsAsync(begin(), { name: 'StoreDenied' })
      t.regex(String(error?.message), /^localhost:\d+: self-signed certificate: tlsCAFile must name the authority/)
      t.is(server.counters.features + server.counters.reads + server.counters.appends, 0)
      t.false(JSON.stringify([log, error?.message]).includes('a:secret'))
    }
  })
}

test('a start that waits for a cluster names why no node can be reached', async (t) => {
  const { server, begin, log } = await aStarting(t, {
    addressAt: (port) => `esdb://localhost:${port},127.0.0.1:${port}?tls=false`,
  })
  await server.close()
  const stop = new AbortController()
  const ended = t.throwsAsync(begin(stop.signal), { name: 'StoreUnavailable' })
  await until('waiting', async () => log.length > 0, 60_000)
  stop.abort()
  await ended
  t.regex(
    JSON.stringify(log.map(({ facts }) => String((facts as { err: Error }).err))),
    /no event store node can be reached: localhost:.* ECONNREFUSED/,
  )
})

test('a wrong password fails the start over TLS', async (t) => {
  const { begin } = await given(t, (port) => `esdb://berth:wrong@localhost:${port}?tlsCAFile=${own}`)
  await t.throwsAsync(begin(), { name: 'StoreDenied' })
})
