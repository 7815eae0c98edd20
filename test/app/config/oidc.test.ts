import test from 'ava'
import { readConfig } from '../../../src/app/config/config.ts'
import { leftOf, rightOf } from '../../users/builders.ts'

const COMPLETE: Readonly<Record<string, string | undefined>> = {
  BERTH_OIDC_ISSUER: 'https://login.lab.example/realms/lab',
  BERTH_OIDC_CLIENT_ID: 'berth',
  BERTH_OIDC_CLIENT_SECRET_FILE: 'oidc.secret',
  BERTH_OIDC_ROLES: 'lab-admins=administrator,qa=tester',
  BERTH_PUBLIC_URL: 'https://berth.lab.example/',
}

const read = (more: Readonly<Record<string, string | undefined>>) => readConfig({ ...COMPLETE, ...more }, '/srv/berth')

test('single sign-on is configured by five variables, and a sixth that has a default', (t) => {
  const configured = {
    issuer: 'https://login.lab.example/realms/lab',
    clientId: 'berth',
    clientSecretFile: '/srv/berth/oidc.secret',
    claim: 'groups',
    roles: new Map([
      ['lab-admins', 'administrator'],
      ['qa', 'tester'],
    ]),
    redirectUri: 'https://berth.lab.example/login/callback',
  } as const
  t.deepEqual(rightOf(read({})).oidc, configured)
  t.deepEqual(rightOf(read({ BERTH_OIDC_CLAIM: 'https://lab.example/roles' })).oidc, {
    ...configured,
    claim: 'https://lab.example/roles',
  })
})

for (const variable of Object.keys(COMPLETE)) {
  test(`single sign-on without ${variable} is refused, and the message says what is missing`, (t) => {
    const [problem, ...others] = leftOf(read({ [variable]: undefined }))
    t.deepEqual(others, [])
    t.is(problem, `${Object.keys(COMPLETE).join(', ')} must be set together: ${variable} is missing`)
  })
}

test('a claim alone configures nothing', (t) => {
  const none = Object.fromEntries(Object.keys(COMPLETE).map((variable) => [variable, undefined]))
  t.regex(leftOf(read({ ...none, BERTH_OIDC_CLAIM: 'roles' })).join(), /must be set together: .* are missing$/)
  t.is(rightOf(read(none)).oidc, undefined)
})

const accepted: readonly (readonly [string, string])[] = [
  ['BERTH_OIDC_ISSUER', 'https://login.lab.example/'],
  ['BERTH_OIDC_ISSUER', 'http://127.0.0.1:8081'],
  ['BERTH_OIDC_ISSUER', 'http://localhost:8081/realms/lab'],
  ['BERTH_OIDC_ISSUER', 'http://[::1]:8081'],
  ['BERTH_PUBLIC_URL', 'http://berth.lab.example:8080'],
]
for (const [variable, value] of accepted) {
  test(`${variable}=${value} is accepted`, (t) => {
    t.truthy(rightOf(read({ [variable]: value })).oidc)
  })
}

const refused: readonly (readonly [string, string, RegExp])[] = [
  ['BERTH_OIDC_ISSUER', 'http://login.lab.example', /http only on a loopback address/],
  ['BERTH_OIDC_ISSUER', 'http://127.0.0.1.lab.example', /http only on a loopback address/],
  ['BERTH_OIDC_ISSUER', 'login.lab.example', /must be like https/],
  ['BERTH_OIDC_ISSUER', 'https://login.lab.example/?realm=lab', /without a query/],
  ['BERTH_OIDC_ISSUER', 'https://berth:CaNaRy@login.lab.example', /must be like https/],
  ['BERTH_OIDC_CLIENT_ID', 'a\nb', /without control characters/],
  ['BERTH_OIDC_CLIENT_ID', 'x'.repeat(257), /1 to 256 characters/],
  ['BERTH_OIDC_CLAIM', 'a\u0000b', /without control characters/],
  ['BERTH_OIDC_ROLES', 'qa', /must be like lab-admins=administrator/],
  ['BERTH_OIDC_ROLES', 'qa=CaNaRy', /one of administrator, tester, auditor/],
  ['BERTH_PUBLIC_URL', 'berth.lab.example', /must be like https/],
  ['BERTH_PUBLIC_URL', 'https://lab.example/berth', /without a path/],
  ['BERTH_PUBLIC_URL', 'ftp://lab.example', /must be like https/],
  ['BERTH_OIDC_CLIENT_SECRET_FILE', '', /is empty/],
]
for (const [variable, value, problem] of refused) {
  test(`${variable}=${JSON.stringify(value.slice(0, 40))} is refused, without repeating it`, (t) => {
    const problems = leftOf(read({ [variable]: value }))
    t.is(problems.length, 1)
    t.regex(
      problems[0] as string,
      new RegExp(`^${variable} ${problem.source.startsWith('is') ? '' : '.*'}${problem.source}`),
    )
    t.false(problems.join().includes('CaNaRy'))
  })
}
