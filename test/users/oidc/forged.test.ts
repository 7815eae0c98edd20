import test from 'ava'
import { leftOf, rightOf } from '../builders.ts'
import { CLIENT_ID, forgeToken, makeSigningKey, signToken } from './lab-provider.ts'
import { checksOf, openStage } from './stage.ts'

type Forgery = (claims: Record<string, unknown>, token: string) => string
type MakeForgery = (sign: (claims: object, header?: object) => string) => Forgery

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Forged ID tokens. All but the last ones are signed with the provider's key. */
const forgeries: readonly (readonly [string, MakeForgery, RegExp])[] = [
  ['another issuer', (sign) => (claims) => sign({ ...claims, iss: 'http://127.0.0.1:1' }), /"iss"/],
  ['another audience', (sign) => (claims) => sign({ ...claims, aud: 'another' }), /"aud"/],
  [
    'a second audience that it was made for',
    (sign) => (claims) => sign({ ...claims, aud: [CLIENT_ID, 'x'], azp: 'x' }),
    /"azp"/,
  ],
  ['another nonce', (sign) => (claims) => sign({ ...claims, nonce: 'nonce-2' }), /"nonce"/],
  [
    'no nonce',
    (sign) =>
      ({ nonce: _, ...claims }) =>
        sign(claims),
    /"nonce"/,
  ],
  [
    'no expiry',
    (sign) =>
      ({ exp: _, ...claims }) =>
        sign(claims),
    /"exp"/,
  ],
  [
    'no subject',
    (sign) =>
      ({ sub: _, ...claims }) =>
        sign(claims),
    /"sub"/,
  ],
  ['an empty subject', (sign) => (claims) => sign({ ...claims, sub: '' }), /subject|"sub"/],
  ['a subject of 256 characters', (sign) => (claims) => sign({ ...claims, sub: 'x'.repeat(256) }), /sub/],
  [
    'no signature and the algorithm "none"',
    (sign) => (claims) => sign(claims, { alg: 'none' }).replace(/[^.]+$/, ''),
    /alg/,
  ],
  ['no signature', () => (_, token) => token.replace(/[^.]+$/, ''), /signature|JWT/i],
  [
    'the signature of another token',
    (sign) => (claims, token) => `${token.replace(/[^.]+$/, '')}${sign({ ...claims, x: 1 }).split('.')[2]}`,
    /signature/,
  ],
  [
    'changed claims',
    () => (claims, token) => token.replace(/\.[^.]+\./, `.${encode({ ...claims, sub: 'admin' })}.`),
    /signature/,
  ],
  ['the signature of a stranger', () => (claims) => signToken(claims, { ...makeSigningKey('first') }), /signature/],
  [
    'a key that the provider does not have',
    () => (claims) => signToken(claims, makeSigningKey('unknown')),
    /no applicable keys/,
  ],
]
for (const [what, make, reason] of forgeries) {
  test(`an ID token with ${what} proves nothing`, async (t) => {
    const { lab, provider, comeBack } = await openStage(t)
    const sent = await comeBack('anna')
    lab.forge(forgeToken(make((claims, header) => signToken(claims, lab.key(), header))))
    const why = leftOf(await provider.exchange(sent, checksOf()))
    t.regex(why, reason)
    t.false(/anna|state-1|nonce-1/i.test(why), why)
  })
}

test('control: an ID token that is only signed again proves who signed in', async (t) => {
  const { lab, provider, comeBack } = await openStage(t)
  const sent = await comeBack('anna')
  lab.forge(forgeToken((claims) => signToken(claims, lab.key())))
  t.is(rightOf(await provider.exchange(sent, checksOf())).name, 'Anna')
})

test('an answer without an ID token proves nothing', async (t) => {
  const { lab, provider, comeBack } = await openStage(t)
  const sent = await comeBack('anna')
  lab.forge((path, answer) => {
    if (path !== '/token') return undefined
    const { id_token: _, ...others } = JSON.parse(answer.body.toString())
    return { ...answer, body: Buffer.from(JSON.stringify(others)) }
  })
  t.regex(leftOf(await provider.exchange(sent, checksOf())), /id_token/)
})

test('what the provider says of somebody else counts for nobody', async (t) => {
  const { lab, provider, comeBack } = await openStage(t)
  const sent = await comeBack('anna')
  lab.forge((path, answer) =>
    path === '/me' ? { ...answer, body: Buffer.from('{"sub":"admin","groups":["lab-admins"]}') } : undefined,
  )
  t.regex(leftOf(await provider.exchange(sent, checksOf())), /"sub"/)
})

test('the token counts before what is said elsewhere', async (t) => {
  const { lab, provider, comeBack } = await openStage(t)
  const sent = await comeBack('anna')
  lab.forge((path, answer) => {
    const forged = forgeToken((claims) => signToken({ ...claims, groups: ['qa'] }, lab.key()))(path, answer)
    return path === '/me' ? { ...answer, body: Buffer.from('{"sub":"anna","groups":["lab-admins"]}') } : forged
  })
  t.deepEqual(rightOf(await provider.exchange(sent, checksOf())).values, ['qa'])
})

test('what another sign-in was sent back with proves nothing in this one', async (t) => {
  const { provider, comeBack } = await openStage(t)
  const [own, other] = [checksOf(1), checksOf(2)]
  const [sent, foreign] = [await comeBack('anna', own), await comeBack('anna', other)]
  t.regex(leftOf(await provider.exchange(foreign, own)), /"state"/)
  t.regex(leftOf(await provider.exchange({ ...sent, code: foreign.code }, own)), /invalid_grant/, 'the verifier')
  t.regex(leftOf(await provider.exchange({ ...sent, iss: 'http://127.0.0.1:1' }, own)), /"iss"/)
  t.is(rightOf(await provider.exchange(sent, own)).name, 'Anna')
})

test('a forged code is refused by the provider', async (t) => {
  const { provider, comeBack } = await openStage(t)
  const sent = await comeBack('anna')
  for (const code of ['x', 'x'.repeat(2_000), '%', 'ä'])
    t.regex(leftOf(await provider.exchange({ ...sent, code }, checksOf())), /invalid_grant/, code)
})
