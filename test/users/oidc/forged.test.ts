import test from 'ava'
import { leftOf, rightOf } from '../builders.ts'
import { CLIENT_ID, type Forge, forgeToken, makeSigningKey, signToken } from './lab-provider.ts'
import { checksOf, openStage } from './stage.ts'

/** What claims become in ID tokens that are signed with the provider's key, and why they prove nothing. */
const CLAIMS: Readonly<Record<string, readonly [change: object, reason: RegExp]>> = {
  'another issuer': [{ iss: 'http://127.0.0.1:1' }, /"iss"/],
  'another audience': [{ aud: 'another' }, /"aud"/],
  'a second audience that it was made for': [{ aud: [CLIENT_ID, 'x'], azp: 'x' }, /"azp"/],
  'another nonce': [{ nonce: 'nonce-2' }, /"nonce"/],
  'no nonce': [{ nonce: undefined }, /"nonce"/],
  'no expiry': [{ exp: undefined }, /"exp"/],
  'no subject': [{ sub: undefined }, /"sub"/],
  'an empty subject': [{ sub: '' }, /subject|"sub"/],
  'a subject of 256 characters': [{ sub: 'x'.repeat(256) }, /sub/],
}

type Make = (claims: object, token: string, sign: (claims: object, header?: object) => string) => string

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const unsigned = (token: string): string => token.replace(/[^.]+$/, '')

/** ID tokens whose signatures are none. */
const SIGNATURES: Readonly<Record<string, readonly [make: Make, reason: RegExp]>> = {
  'the algorithm "none"': [(claims, _, sign) => unsigned(sign(claims, { alg: 'none' })), /alg/],
  'no signature': [(_, token) => unsigned(token), /signature|JWT/i],
  'the signature of another token': [
    (claims, token, sign) => `${unsigned(token)}${sign({ ...claims, x: 1 }).split('.')[2]}`,
    /signature/,
  ],
  'changed claims': [
    (claims, token) => token.replace(/\.[^.]+\./, `.${encode({ ...claims, sub: 'admin' })}.`),
    /signature/,
  ],
  'the signature of a stranger': [(claims) => signToken(claims, makeSigningKey('first')), /signature/],
  'a key that the provider does not have': [(claims) => signToken(claims, makeSigningKey('unknown')), /no applicable/],
}

test('a forged ID token proves nothing, and one that is only signed again proves who signed in', async (t) => {
  const { lab, provider, comeBack } = await openStage(t)
  const sign = (claims: object, header?: object): string => signToken(claims, lab.key(), header)
  const exchange = async (make: Make, n: number) => {
    const sent = await comeBack('anna', checksOf(n))
    lab.forge(forgeToken((claims, token) => make(claims, token, sign)))
    return provider.exchange(sent, checksOf(n))
  }
  t.is(rightOf(await exchange((claims) => sign(claims), 1)).name, 'Anna')
  const changed = Object.entries(CLAIMS).map(
    ([what, [change, reason]]) => [what, [(claims: object) => sign({ ...claims, ...change }), reason]] as const,
  )
  for (const [what, [make, reason]] of [...changed, ...Object.entries(SIGNATURES)]) {
    const why = leftOf(await exchange(make, 1))
    t.regex(why, reason, what)
    t.false(/anna|x{256}|nonce-[12]|state-1/i.test(why), why)
  }
})

/** Answers of the provider that say something else. */
const ANSWERS: Readonly<Record<string, readonly [Forge, RegExp]>> = {
  'an answer without an ID token proves nothing': [
    (path, answer) => {
      if (path !== '/token') return undefined
      return { ...answer, body: Buffer.from(JSON.stringify({ ...JSON.parse(`${answer.body}`), id_token: undefined })) }
    },
    /id_token/,
  ],
  'what the provider says of somebody else counts for nobody': [
    (path, answer) =>
      path === '/me' ? { ...answer, body: Buffer.from('{"sub":"admin","groups":["lab-admins"]}') } : undefined,
    /"sub"/,
  ],
}
for (const [title, [forge, reason]] of Object.entries(ANSWERS)) {
  test(title, async (t) => {
    const { lab, provider, comeBack } = await openStage(t)
    const sent = await comeBack('anna')
    lab.forge(forge)
    t.regex(leftOf(await provider.exchange(sent, checksOf())), reason)
  })
}

test('the token counts before what is said elsewhere', async (t) => {
  const { lab, provider, comeBack } = await openStage(t)
  const sent = await comeBack('anna')
  lab.forge((path, answer) => {
    const forged = forgeToken((claims) => signToken({ ...claims, groups: ['qa'] }, lab.key()))(path, answer)
    return path === '/me' ? { ...answer, body: Buffer.from('{"sub":"anna","groups":["lab-admins"]}') } : forged
  })
  t.deepEqual(rightOf(await provider.exchange(sent, checksOf())).values, ['qa'])
})

test('what another sign-in was sent back with, and a code that is none, prove nothing', async (t) => {
  const { provider, comeBack } = await openStage(t)
  const [own, other] = [checksOf(1), checksOf(2)]
  const [sent, foreign] = [await comeBack('anna', own), await comeBack('anna', other)]
  t.regex(leftOf(await provider.exchange(foreign, own)), /"state"/)
  t.regex(leftOf(await provider.exchange({ ...sent, code: foreign.code }, own)), /invalid_grant/, 'the verifier')
  t.regex(leftOf(await provider.exchange({ ...sent, iss: 'http://127.0.0.1:1' }, own)), /"iss"/)
  for (const code of ['x', 'x'.repeat(2_000), '%', 'ä'])
    t.regex(leftOf(await provider.exchange({ ...sent, code }, own)), /invalid_grant/, code)
  t.is(rightOf(await provider.exchange(sent, own)).name, 'Anna')
})
