/** Providers with settings that are common elsewhere. */

import { createHmac } from 'node:crypto'
import test from 'ava'
import { rightOf } from '../builders.ts'
import { type ChangeRequest, CLIENT_SECRET, forgeToken, signToken } from './lab-provider.ts'
import { checksOf, openStage, type Stage } from './stage.ts'

/** Turns credentials into those that a provider which does decode them takes for the same. */
const encoded = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`

/** As Doorkeeper, GitLab's provider: the secret in body or header, where it is compared as it is, without decoding. */
const likeDoorkeeper: ChangeRequest = ({ headers, body }) => {
  const [scheme, text = ''] = (headers.authorization ?? '').split(' ')
  if (scheme === 'Basic') {
    const [, id = '', secret = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(text, 'base64').toString()) ?? []
    return { headers: { ...headers, authorization: encoded(id, secret) }, body }
  }
  const form = new URLSearchParams(body.toString())
  const secret = form.get('client_secret')
  if (secret === null) return { headers, body }
  form.delete('client_secret')
  const changed = Buffer.from(form.toString())
  const authorization = encoded(form.get('client_id') ?? '', secret)
  return { headers: { ...headers, authorization, 'content-length': String(changed.length) }, body: changed }
}

/** As providers that take the secret only in the way that the client was registered for. */
const onlyHeader: ChangeRequest = ({ headers, body }) => {
  const form = new URLSearchParams(body.toString())
  form.delete('client_secret')
  const changed = Buffer.from(form.toString())
  const hasBody = body.length > 0
  return { headers: { ...headers, ...(hasBody && { 'content-length': String(changed.length) }) }, body: changed }
}

const METADATA = '/.well-known/openid-configuration'

/** Leaves out which ways of showing a secret the provider takes. */
const withoutMethods = ({ lab }: Stage): void =>
  lab.forge((path, answer) => {
    if (path !== METADATA) return undefined
    const { token_endpoint_auth_methods_supported: _, ...metadata } = JSON.parse(answer.body.toString())
    return { ...answer, body: Buffer.from(JSON.stringify(metadata)) }
  })

const exchanges = ({ lab }: Stage): number => lab.asked.filter((path) => path === '/token').length

const signIn = async ({ provider, comeBack }: Stage, n: number): Promise<string> =>
  rightOf(await provider.exchange(await comeBack('anna', checksOf(n)), checksOf(n))).name

test('a provider that does not decode the header gets the secret in the body, at the first attempt', async (t) => {
  const stage = await openStage(t, { changeRequest: likeDoorkeeper })
  t.is(await signIn(stage, 1), 'Anna')
  t.is(exchanges(stage), 1)
})

test('a provider that refuses the header gets the secret in the body, and from then on only there', async (t) => {
  const stage = await openStage(t, { changeRequest: likeDoorkeeper })
  withoutMethods(stage)
  t.is(await signIn(stage, 1), 'Anna')
  t.is(exchanges(stage), 2)
  t.is(await signIn(stage, 2), 'Anna')
  t.is(exchanges(stage), 3)
})

test('a client that is registered for the header alone gets the secret there after all', async (t) => {
  const stage = await openStage(t, { changeRequest: onlyHeader })
  t.is(await signIn(stage, 1), 'Anna')
  t.is(await signIn(stage, 2), 'Anna')
  t.is(exchanges(stage), 3)
})

const now = (): number => Math.floor(Date.now() / 1000)

/** Tokens that show a wrong setting of the provider, or of its clock. */
const faults: readonly (readonly [string, Parameters<typeof forgeToken>[0] | 'late' | 'early', RegExp])[] = [
  ['expired a minute ago', 'late', /expired 6\d s ago; compare its clock/],
  ['is valid in ten minutes', 'early', /valid in (600|59\d) s only; compare its clock/],
  [
    'has the client secret as its key',
    (claims) => {
      const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
      const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
      return `${text}.${createHmac('sha256', CLIENT_SECRET).update(text).digest('base64url')}`
    },
    /signs ID tokens with HS256; set it to RS256/,
  ],
]
for (const [what, make, reason] of faults) {
  test(`an ID token that ${what} is the provider's fault, and is named`, async (t) => {
    const { lab, provider, comeBack } = await openStage(t)
    const sent = await comeBack('anna')
    const time = make === 'late' ? { exp: now() - 60 } : { nbf: now() + 600 }
    lab.forge(forgeToken(typeof make === 'string' ? (claims) => signToken({ ...claims, ...time }, lab.key()) : make))
    const error = await t.throwsAsync(provider.exchange(sent, checksOf()), { name: 'ProviderUnavailable' })
    t.regex(error?.message ?? '', reason)
    t.false(/anna|state-1|nonce-1/i.test(error?.message ?? ''))
  })
}

test('a claim with too many values to be in the token is named', async (t) => {
  const { lab, provider, comeBack } = await openStage(t)
  lab.people.set('anna', { preferred_username: 'Anna' })
  const names = {
    _claim_names: { groups: 'src1' },
    _claim_sources: { src1: { endpoint: 'https://graph.lab.example' } },
  }
  lab.forge(forgeToken((claims) => signToken({ ...claims, ...names }, lab.key())))
  const failing = provider.exchange(await comeBack('anna'), checksOf())
  await t.throwsAsync(failing, { name: 'ProviderUnavailable', message: /leaves out the claim groups.*_claim_names/ })
})

test('the code of the error with which the provider refuses the client is logged', async (t) => {
  for (const [headers, body] of [
    [{}, '{"error":"unauthorized_client"}'],
    [{ 'www-authenticate': 'Basic realm="x"' }, '{"error":"unauthorized_client"}'],
    [{ 'www-authenticate': 'Bearer realm="Doorkeeper", error="unauthorized_client"' }, 'no JSON'],
  ] as const) {
    const { lab, provider, comeBack } = await openStage(t)
    const sent = await comeBack('anna')
    lab.forge((path, answer) =>
      path === '/token'
        ? { status: 401, headers: { ...answer.headers, ...headers }, body: Buffer.from(body) }
        : undefined,
    )
    const failing = provider.exchange(sent, checksOf())
    await t.throwsAsync(failing, { name: 'ProviderUnavailable', message: /unauthorized_client/ })
  }
})
