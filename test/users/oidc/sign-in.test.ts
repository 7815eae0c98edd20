import { rm, writeFile } from 'node:fs/promises'
import test from 'ava'
import { rightOf } from '../builders.ts'
import { CLIENT_SECRET } from './lab-provider.ts'
import { checksOf, openStage } from './stage.ts'

const ANNA = (issuer: string) => ({ identity: `["${issuer}","anna"]`, name: 'Anna', values: ['qa', 'lab'] })

test('somebody who signs in with the provider is known by issuer and subject', async (t) => {
  const { lab, provider, comeBack } = await openStage(t)
  const sent = await comeBack('anna')
  t.is(sent.iss, lab.issuer)
  t.deepEqual(rightOf(await provider.exchange(sent, checksOf())), ANNA(lab.issuer))
  t.true(lab.asked.includes('/me'), 'what the token leaves out is asked for')
})

test('a token that has everything needs no further request', async (t) => {
  const { lab, provider, comeBack } = await openStage(t, { configuration: { conformIdTokenClaims: false } })
  t.deepEqual(rightOf(await provider.exchange(await comeBack('anna'), checksOf())), ANNA(lab.issuer))
  t.false(lab.asked.includes('/me'))
})

test('a scope named like the claim is asked for if the provider has it', async (t) => {
  const claims = { openid: ['sub'], profile: ['preferred_username'], roles: ['roles'] }
  const { lab, provider, comeBack } = await openStage(t, { configuration: { claims }, claim: 'roles' })
  lab.people.set('anna', { roles: 'lab-admin' })
  const url = new URL(await provider.signInUrl(checksOf()))
  t.is(url.searchParams.get('scope'), 'openid profile roles')
  const person = rightOf(await provider.exchange(await comeBack('anna'), checksOf()))
  t.deepEqual(person, { identity: `["${lab.issuer}","anna"]`, name: 'anna', values: ['lab-admin'] })
})

test('the request for a sign-in has a state, a nonce and a challenge that only its beginner can answer', async (t) => {
  const { provider } = await openStage(t)
  const { searchParams } = new URL(await provider.signInUrl(checksOf()))
  const { state, nonce, verifier } = checksOf()
  t.like(Object.fromEntries(searchParams), { state, nonce, response_type: 'code', code_challenge_method: 'S256' })
  t.false([...searchParams.values()].includes(verifier))
  t.regex(searchParams.get('code_challenge') ?? '', /^[\w-]{43}$/)
})

test('a new client secret counts for the next sign-in, which fails without one', async (t) => {
  const { lab, provider, comeBack, secretFile } = await openStage(t)
  const signIn = async (n: number) => provider.exchange(await comeBack('anna', checksOf(n)), checksOf(n))
  await writeFile(secretFile, 'wrong')
  await t.throwsAsync(signIn(1), { name: 'ProviderUnavailable', message: /invalid_client/ })
  await writeFile(secretFile, CLIENT_SECRET)
  t.deepEqual(rightOf(await signIn(2)), ANNA(lab.issuer))
  await rm(secretFile)
  const unread = /^the client secret cannot be read from .*client\.secret/
  await t.throwsAsync(signIn(3), { name: 'ProviderUnavailable', message: unread })
})
