import { isAbsolute } from 'node:path'
import test from 'ava'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { readConfig } from '../../../src/app/config/config.ts'
import { parseAuditKey } from '../../../src/audit/audit-key.ts'
import { passwordProblem } from '../../../src/users/passwords/password.ts'
import { anyCharacter } from '../../characters.ts'
import { leftOf, rightOf } from '../../users/builders.ts'
import { refused } from './refused-values.ts'

const DAY = 86_400_000
const KEY = Buffer.alloc(32, 1).toString('base64')
const SIGN_ON = {
  BERTH_OIDC_ISSUER: 'https://login.lab.example/realms/lab',
  BERTH_OIDC_CLIENT_ID: 'berth',
  BERTH_OIDC_CLIENT_SECRET_FILE: 'oidc.secret',
  BERTH_OIDC_ROLES: 'lab-admins=administrator,qa=tester',
  BERTH_PUBLIC_URL: 'https://berth.lab.example',
}
const read = (environment: Record<string, string | undefined>) => readConfig(environment, '/srv/berth')
const problemsOf = (environment: Record<string, string | undefined>) => leftOf(read(environment))

test('without variables every setting has its documented default', (t) => {
  const config = rightOf(read({ PATH: '/bin', BERTH: 'not ours' }))
  // What has no default is undefined.
  t.deepEqual(JSON.parse(JSON.stringify(config)), {
    host: '127.0.0.1',
    port: 8080,
    trustedProxies: [],
    data: '/srv/berth/data',
    eventStore: { kind: 'sqlite', path: '/srv/berth/data/events.db' },
    vaultKeyFile: '/srv/berth/data/vault.key',
    auditKeyFile: '/srv/berth/data/audit.key',
    origin: 'berth',
    listenPorts: { first: 20_000, last: 29_999 },
    gateway: {
      isOn: true,
      host: '127.0.0.1',
      clients: 'holder',
      ipv6Prefix: 128,
      connectionsOfOneMax: 64,
      connectionsMax: 4_096,
      connectTimeoutMs: 10_000,
      handshakeTimeoutMs: 30_000,
      suts: {},
    },
    limits: { windowMax: 7 * DAY, horizon: 366 * DAY },
    quotaDefault: { hours_per_week: null, reservations_max: 100, priority_max: 0 },
    clockAheadMax: 30 * DAY,
    webhookHttp: 'private',
    logLevel: 'info',
    warnings: [],
  })
})

test('every variable sets its value', (t) => {
  const config = rightOf(
    read({
      BERTH_HOST: '::1',
      BERTH_PORT: '0',
      BERTH_TLS_CERT: 'tls/cert.pem',
      BERTH_TLS_KEY: '/etc/berth/key.pem',
      BERTH_TRUSTED_PROXIES: '192.0.2.7, 10.1.0.0/16,FD00:0::/8',
      BERTH_DATA: 'elsewhere',
      BERTH_EVENT_STORE: 'sqlite:/var/log.db',
      BERTH_ADMIN_PASSWORD: 'correct horse',
      BERTH_VAULT_KEY: `a:${KEY}`,
      BERTH_AUDIT_KEY: KEY,
      BERTH_ORIGIN: 'lab.example/berth',
      BERTH_LISTEN_PORTS: '5900-5900',
      BERTH_GATEWAY: 'off',
      BERTH_GATEWAY_HOST: '0.0.0.0',
      BERTH_GATEWAY_PUBLIC_HOST: 'lab.example',
      BERTH_GATEWAY_CLIENTS: 'any',
      BERTH_GATEWAY_IPV6_PREFIX: '64',
      BERTH_GATEWAY_CONNECTIONS_OF_ONE: '8',
      BERTH_GATEWAY_CONNECTIONS_MAX: '100',
      BERTH_GATEWAY_CONNECT_TIMEOUT: 'PT2.5S',
      BERTH_GATEWAY_HANDSHAKE_TIMEOUT: 'PT1M',
      BERTH_GATEWAY_SUTS: 'site=berlin, rack=4',
      BERTH_WINDOW_MAX: 'PT12H',
      BERTH_HORIZON: 'P1W2DT30M',
      BERTH_QUOTA_DEFAULT: 'hours_per_week=40',
      BERTH_CLOCK_AHEAD_MAX: 'P60D',
      BERTH_WEBHOOK_HTTP: 'any',
      BERTH_LOG_LEVEL: 'silent',
      ...SIGN_ON,
      BERTH_OIDC_CLAIM: 'https://lab.example/roles',
    }),
  )
  t.deepEqual(config, {
    host: '::1',
    port: 0,
    tls: { certificate: '/srv/berth/tls/cert.pem', key: '/etc/berth/key.pem' },
    trustedProxies: [
      { family: 'ipv4', address: '192.0.2.7', prefix: 32 },
      { family: 'ipv4', address: '10.1.0.0', prefix: 16 },
      { family: 'ipv6', address: 'fd00::', prefix: 8 },
    ],
    data: '/srv/berth/elsewhere',
    eventStore: { kind: 'sqlite', path: '/var/log.db' },
    adminPassword: 'correct horse',
    vaultKeys: config.vaultKeys,
    vaultKeyFile: '/srv/berth/elsewhere/vault.key',
    auditKey: config.auditKey,
    auditKeyFile: '/srv/berth/elsewhere/audit.key',
    origin: 'lab.example/berth',
    listenPorts: { first: 5900, last: 5900 },
    gateway: {
      isOn: false,
      host: '0.0.0.0',
      publicHost: 'lab.example',
      clients: 'any',
      ipv6Prefix: 64,
      connectionsOfOneMax: 8,
      connectionsMax: 100,
      connectTimeoutMs: 2_500,
      handshakeTimeoutMs: 60_000,
      suts: { site: 'berlin', rack: '4' },
    },
    limits: { windowMax: DAY / 2, horizon: 9 * DAY + 1_800_000 },
    quotaDefault: { hours_per_week: 40, reservations_max: 100, priority_max: 0 },
    clockAheadMax: 60 * DAY,
    client: undefined,
    oidc: {
      issuer: 'https://login.lab.example/realms/lab',
      clientId: 'berth',
      clientSecretFile: '/srv/berth/oidc.secret',
      claim: 'https://lab.example/roles',
      roles: new Map([
        ['lab-admins', 'administrator'],
        ['qa', 'tester'],
      ]),
      redirectUri: 'https://berth.lab.example/login/callback',
    },
    webhookHttp: 'any',
    logLevel: 'silent',
    warnings: [],
  })
  t.true(config.auditKey?.equals(rightOf(parseAuditKey(KEY))))
  t.is(config.vaultKeys?.current.id, 'a')
  t.is(config.vaultKeys?.current.key.export().toString('base64'), KEY)
})

test('paths are absolute, whatever directory the service starts in', (t) => {
  const { data, vaultKeyFile, eventStore } = rightOf(readConfig({ BERTH_EVENT_STORE: 'sqlite:./log.db' }))
  t.true(
    [data, vaultKeyFile, eventStore.kind === 'sqlite' && eventStore.path].every((path) => path && isAbsolute(path)),
  )
})

for (const [name, value, problem] of refused) {
  test(`${name}=${JSON.stringify(value.slice(0, 40))} is refused`, (t) => {
    const problems = problemsOf({ ...SIGN_ON, [name]: value })
    t.is(problems.length, 1)
    t.true(problems[0]?.startsWith(`${name} `))
    t.regex(problems[0] as string, problem)
    t.false(problems.join().includes('CaNaRy'))
  })
}

const accepted = [
  ...['berth', 'https://lab.example/berth', 'urn:lab:berth', '/berth', 'lab.example/b%C3%A9rth?x=1#y', '//h/p'].map(
    (origin) => ['BERTH_ORIGIN', origin] as const,
  ),
  ...[
    'https://login.lab.example/',
    'http://127.0.0.1:8081',
    'http://localhost:8081/realms/lab',
    'http://[::1]:8081',
  ].map((issuer) => ['BERTH_OIDC_ISSUER', issuer] as const),
  ['BERTH_PUBLIC_URL', 'http://berth.lab.example:8080'],
] as const
for (const [name, value] of accepted) {
  test(`${name}=${value} is accepted`, (t) => {
    const { origin, oidc } = rightOf(read({ ...SIGN_ON, [name]: value }))
    t.true([origin, oidc?.issuer, oidc?.redirectUri.replace('/login/callback', '')].includes(value))
  })
}

test('the variables of single sign-on, but for the claim, are set together or not at all', (t) => {
  t.is(rightOf(read(SIGN_ON)).oidc?.claim, 'groups')
  for (const name of Object.keys(SIGN_ON)) {
    const problem = `${Object.keys(SIGN_ON).join(', ')} must be set together: ${name} is missing`
    t.deepEqual(problemsOf({ ...SIGN_ON, [name]: undefined }), [problem])
  }
  t.regex(problemsOf({ BERTH_OIDC_CLAIM: 'roles' }).join(), /must be set together: .* are missing$/)
})

test('an empty value is refused for every variable', (t) => {
  const names = refused.map(([name]) => name).concat('BERTH_DATA', 'BERTH_TLS_CERT', 'BERTH_OIDC_CLIENT_SECRET_FILE')
  for (const name of new Set(names)) t.regex(problemsOf({ [name]: '' }).join(), new RegExp(`^${name} is empty`))
})

test('all problems are reported at once, and valid variables cause none', (t) => {
  const problems = problemsOf({
    BERTH_HOST: 'lab.example',
    BERTH_PORT: 'x',
    BERTH_HORIZON: 'x',
    BERTH_VAULT_KEY: `a:${KEY}`,
    BERTH_VAULT_KEY_FILE: 'x',
    BERTH_AUDIT_KEY: 'x',
    BERTH_PROT: '8080',
  })
  const names = problems.map((problem) => problem.split(' ')[0]).sort()
  t.deepEqual(names, ['BERTH_AUDIT_KEY', 'BERTH_HORIZON', 'BERTH_PORT', 'BERTH_PROT', 'BERTH_VAULT_KEY'])
  t.true(problems.includes('BERTH_VAULT_KEY and BERTH_VAULT_KEY_FILE are both set; unset one of them'))
})

test('an unknown variable is refused with the nearest known name', (t) => {
  const nearest = (name: string) => problemsOf({ [name]: 'x' }).join()
  t.is(nearest('BERTH_PROT'), 'BERTH_PROT is not a Berth variable; did you mean BERTH_PORT?')
  t.regex(nearest('BERTH_ADMIN_PASWORD'), /did you mean BERTH_ADMIN_PASSWORD\?$/)
  t.regex(nearest('BERTH_VAULT_KEYFILE'), /did you mean BERTH_VAULT_KEY_FILE\?$/)
  t.regex(nearest('BERTH_LOGLEVEL'), /did you mean BERTH_LOG_LEVEL\?$/)
  t.is(nearest('BERTH_UNHEARD_OF'), 'BERTH_UNHEARD_OF is not a Berth variable')
})

test('a certificate without its key is refused, and a key without its certificate', (t) => {
  const missing = (name: string) => [`BERTH_TLS_CERT, BERTH_TLS_KEY must be set together: ${name} is missing`]
  t.deepEqual(problemsOf({ BERTH_TLS_CERT: 'cert.pem' }), missing('BERTH_TLS_KEY'))
  t.deepEqual(problemsOf({ BERTH_TLS_KEY: 'key.pem' }), missing('BERTH_TLS_CERT'))
  t.deepEqual(problemsOf({ BERTH_TLS_CERT: 'cert.pem', BERTH_TLS_KEY: '' }), [
    'BERTH_TLS_KEY is empty; give it a value or unset it',
  ])
})

test('Kubernetes service links are ignored with a warning that names them', (t) => {
  const links = {
    BERTH_SERVICE_HOST: '10.0.0.1',
    BERTH_SERVICE_PORT: '8080',
    BERTH_SERVICE_PORT_HTTP: '8080',
    BERTH_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
    BERTH_PORT_8080_TCP_PROTO: 'tcp',
    BERTH_PORT_8080_TCP_PORT: '8080',
    BERTH_PORT_8080_TCP_ADDR: '10.0.0.1',
    BERTH_METRICS_PORT: 'tcp://10.0.0.2:9090',
    BERTH_METRICS_SERVICE_HOST: '10.0.0.2',
  }
  const { warnings, port } = rightOf(read({ ...links, BERTH_PORT: '8081' }))
  t.is(port, 8081)
  for (const name of Object.keys(links)) t.true(warnings.join().includes(name))
  t.is(problemsOf({ BERTH_METRICS_PORT: '9090' }).length, 1)
})

test('no error message repeats a value, whichever variable contains a secret', (t) => {
  const canary = 'CaNaRy-0123456789'
  const names = [...new Set(refused.map(([name]) => name)), 'BERTH_VAULT_KEY', 'BERTH_VAULT_KEY_FILE', 'BERTH_PASSWORD']
  const value = fc.constantFrom(
    canary,
    `${canary}\n`,
    `esdb://admin:${canary}@host`,
    `tcp://${canary}`,
    `sqlite://${canary}`,
  )
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), value), (environment) => {
      const result = read(environment)
      return E.isRight(result) || !result.left.join().includes(canary)
    }),
  )
  t.pass()
})

test("the first administrator's password must meet the rules for every password", (t) => {
  const passwords = fc.oneof(
    fc.string(),
    fc.string({ unit: anyCharacter, minLength: 7, maxLength: 9 }),
    fc.string({ minLength: 1020, maxLength: 1030 }),
  )
  fc.assert(
    fc.property(passwords, (password) => {
      fc.pre(password !== '')
      return E.isRight(read({ BERTH_ADMIN_PASSWORD: password })) === (passwordProblem(password) === undefined)
    }),
    {
      examples: [
        ['x'.repeat(1024)],
        ['x'.repeat(1025)],
        ['\u{1f511}'.repeat(8)],
        ['\u{1f511}'.repeat(7)],
        ['\ud800234567890'],
        ['\u{1f511}'.repeat(257)],
        ['1234567\u0085'],
        ['12345678\u0085'],
      ],
    },
  )
  t.pass()
})
