import { readdir, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { freePort } from '../../gateway/peers.ts'
import { temporaryData } from '../../http/harness.ts'
import { type Launch, launch, serve } from '../harness.ts'

/** The error code of a refused connection, undefined for an accepted one. */
const refusalOf = (host: string, port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const socket = connect({ host, port })
    socket.once('connect', () => resolve(void socket.destroy()))
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code))
  })

const listening = async (t: Parameters<typeof launch>[0], env: Launch['env']): Promise<URL> => {
  const child = launch(t, {
    data: join(await temporaryData(t), 'data'),
    args: ['serve'],
    env: { BERTH_PORT: '0', ...env },
  })
  return new URL((JSON.parse(await child.line('"msg":"listening"')) as { url: string }).url)
}

test('the service listens on the configured address only, and logs it; port 0 takes a free port', async (t) => {
  // Of a port that the system gives for one address, another program may have the same number at the other one.
  const env = { BERTH_HOST: '127.0.0.2', BERTH_PORT: String(await freePort()) }
  const [usual, configured] = await Promise.all([listening(t, {}), listening(t, env)])
  t.is(usual.hostname, '127.0.0.1')
  t.is(configured.hostname, '127.0.0.2')
  t.true(Number(usual.port) > 0 && Number(configured.port) > 0)
  for (const { hostname, port } of [usual, configured]) t.is(await refusalOf(hostname, Number(port)), undefined)
  t.is(await refusalOf('127.0.0.2', Number(usual.port)), 'ECONNREFUSED')
  t.is(await refusalOf('127.0.0.1', Number(configured.port)), 'ECONNREFUSED')
})

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'))
const withIpv6 = hasIpv6 ? test : test.skip
withIpv6('an IPv6 address is logged in URL form', async (t) => {
  const { hostname, port } = await listening(t, { BERTH_HOST: '::1' })
  t.is(hostname, '[::1]')
  t.is(await refusalOf('::1', Number(port)), undefined)
})

const LINKS = {
  BERTH_SERVICE_HOST: '10.0.0.1',
  BERTH_SERVICE_PORT: '8080',
  BERTH_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
  BERTH_PORT_8080_TCP_ADDR: '10.0.0.1',
}

test('the files are in the configured places, and Kubernetes service links cause a warning that names them', async (t) => {
  const home = await temporaryData(t)
  const [data, elsewhere] = [join(home, 'data'), join(home, 'elsewhere')]
  const places = { BERTH_EVENT_STORE: `sqlite:${data}/log.db`, BERTH_VAULT_KEY_FILE: join(elsewhere, 'key') }
  const service = await serve(t, { data, env: { ...places, ...LINKS } })
  const warning = JSON.parse(await service.line('Kubernetes service links')) as { level: number; msg: string }
  t.is(warning.level, 40)
  for (const name of Object.keys(LINKS)) t.true(warning.msg.includes(name), name)
  t.is((await service.get('/api/user/me')).json.name, 'admin')
  await service.stop()
  const filesIn = async (path: string) => (await readdir(path)).filter((name) => !name.endsWith('.lock')).toSorted()
  t.deepEqual(await filesIn(data), ['audit.key', 'instance', 'log.db', 'views.db'])
  t.deepEqual(await filesIn(elsewhere), ['key'])
  t.is((await stat(join(elsewhere, 'key'))).mode & 0o777, 0o600)
})
