import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { ANSWER_BYTES_MAX, makeProvider } from '../../../src/users/oidc/provider.ts'
import { rightOf } from '../builders.ts'
import { CLIENT_ID, forgeToken, makeSigningKey, signToken } from './lab-provider.ts'
import { checksOf, openStage, REDIRECT_URI } from './stage.ts'

const UNAVAILABLE = { name: 'ProviderUnavailable' }
const METADATA = '/.well-known/openid-configuration'

/** The module that asks a provider, which it does not know yet. */
const makeLate = (issuer: string) =>
  makeProvider({
    ...{ issuer, clientId: CLIENT_ID, clientSecretFile: '/nowhere', claim: 'groups', redirectUri: REDIRECT_URI },
  })

const withMember = (body: Buffer, more: object): Buffer =>
  Buffer.from(JSON.stringify({ ...JSON.parse(body.toString()), ...more }))

test('a provider that is away is found when it comes back, and nothing fails meanwhile but sign-ins', async (t) => {
  const { lab, provider, comeBack } = await openStage(t)
  await provider.signInUrl(checksOf())
  await lab.away()
  t.truthy(await provider.signInUrl(checksOf()), 'what is known of it stays known')
  await t.throwsAsync(provider.exchange({ code: 'x', state: checksOf().state }, checksOf()), UNAVAILABLE)
  const late = makeLate(lab.issuer)
  await t.throwsAsync(late.signInUrl(checksOf()), { ...UNAVAILABLE, message: /ECONNREFUSED/ })
  await lab.back()
  t.truthy(await late.signInUrl(checksOf()), 'the next sign-in finds it')
  t.is(rightOf(await provider.exchange(await comeBack('anna'), checksOf())).name, 'Anna')
})

test('a provider is discovered at a sign-in, once for those at the same time, and kept for ten minutes', async (t) => {
  const clock = { now: 0 }
  const { lab, provider } = await openStage(t, { now: () => clock.now })
  const discoveries = () => lab.asked.filter((path) => path === METADATA).length
  t.is(discoveries(), 0)
  await Promise.all([provider.signInUrl(checksOf(1)), provider.signInUrl(checksOf(2))])
  clock.now = 599_999
  await provider.signInUrl(checksOf())
  t.is(discoveries(), 1)
  clock.now = 600_000
  await provider.signInUrl(checksOf())
  t.is(discoveries(), 2)
})

const broken: readonly (readonly [string, string, (body: Buffer) => Buffer | Promise<Buffer>])[] = [
  ['metadata of another issuer', METADATA, (body) => withMember(body, { issuer: 'http://127.0.0.1:1' })],
  [
    'metadata of many tenants',
    METADATA,
    (body) => withMember(body, { issuer: 'https://login.lab.example/{tenantid}' }),
  ],
  ['metadata without a sign-in address', METADATA, (body) => withMember(body, { authorization_endpoint: undefined })],
  [
    'a sign-in address without TLS',
    METADATA,
    (body) => withMember(body, { authorization_endpoint: 'http://lab.example/' }),
  ],
  ['metadata that are no JSON', METADATA, () => Buffer.from('<html>anna</html>')],
  ['metadata that are too large', METADATA, (body) => withMember(body, { more: 'x'.repeat(ANSWER_BYTES_MAX) })],
]
test('a provider whose metadata cannot be used is unavailable', async (t) => {
  const { lab } = await openStage(t)
  for (const [what, path, make] of broken) {
    lab.forge(async (asked, answer) => (asked === path ? { ...answer, body: await make(answer.body) } : undefined))
    const error = await t.throwsAsync(makeLate(lab.issuer).signInUrl(checksOf()), UNAVAILABLE, what)
    t.false(error?.message.includes('anna'))
  }
})

const failing: readonly (readonly [string, string, number, (body: Buffer) => Buffer])[] = [
  ['an exchange with an error of the server', '/token', 500, () => Buffer.from('oops')],
  ['an exchange with an error of the client', '/token', 401, () => Buffer.from('{"error":"invalid_client"}')],
  ['an exchange without JSON', '/token', 200, () => Buffer.from('<html>anna</html>')],
  ['an exchange that is too large', '/token', 200, (body) => withMember(body, { more: 'x'.repeat(ANSWER_BYTES_MAX) })],
  ['keys that are too large', '/jwks', 200, (body) => withMember(body, { more: 'x'.repeat(ANSWER_BYTES_MAX) })],
  ['a redirection in place of an answer', '/token', 302, (body) => body],
]
test("a provider that answers something else is unavailable, which is not somebody's fault", async (t) => {
  const { lab, provider, comeBack } = await openStage(t)
  for (const [what, path, status, make] of failing) {
    lab.forge()
    const sent = await comeBack('anna')
    lab.forge((asked, answer) => (asked === path ? { ...answer, status, body: make(answer.body) } : undefined))
    const error = await t.throwsAsync(provider.exchange(sent, checksOf()), UNAVAILABLE, what)
    t.false(/anna/.test(error?.message ?? ''))
  }
})

test('an endless answer is cut off at its limit', async (t) => {
  let _sent = 0
  const server = createServer((_, to) => {
    to.writeHead(200, { 'content-type': 'application/json' })
    const write = (): void => {
      while (!to.destroyed && to.write(Buffer.alloc(65_536, ' '))) _sent += 65_536
      if (!to.destroyed) to.once('drain', write)
    }
    write()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.closeAllConnections())
  t.teardown(() => server.close())
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await t.throwsAsync(makeLate(issuer).signInUrl(checksOf()), { ...UNAVAILABLE, message: /exceeds 262144 bytes/ })
})

test('a provider that signs with another key is asked for its keys again', async (t) => {
  const { lab, provider, comeBack } = await openStage(t)
  t.is(rightOf(await provider.exchange(await comeBack('anna'), checksOf())).name, 'Anna')
  const next = makeSigningKey('next')
  const published = { ...next.key.export({ format: 'jwk' }), kid: 'next', use: 'sig', alg: 'RS256' }
  const { d: _, p: __, q: ___, dp: ____, dq: _____, qi: ______, ...jwk } = published
  lab.forge((path, answer) =>
    path === '/jwks'
      ? { ...answer, body: Buffer.from(JSON.stringify({ keys: [jwk] })) }
      : forgeToken((claims) => signToken(claims, next))(path, answer),
  )
  // Keys that were fetched a moment ago are not fetched again at once: the first sign-in with the new key fails.
  await provider.exchange(await comeBack('anna', checksOf(2)), checksOf(2))
  t.is(rightOf(await provider.exchange(await comeBack('anna', checksOf(3)), checksOf(3))).name, 'Anna')
})
