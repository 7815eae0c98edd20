import test from 'ava'
import type { verifyPassword } from '../../../src/users/passwords/password.ts'
import { RIGHT, WRONG } from '../../users/builders.ts'
import { basic, passwordOf } from '../client.ts'
import { ALICE, by, ELSEWHERE, given, HERE, PROXY, times } from './gate.ts'

test('after ten failures of an address and name, further attempts are locked out for the minute', async (t) => {
  const { clock, verified, ask, guess, guessOften } = await given()
  t.deepEqual(await guessOften(9, HERE), times(9, 'unauthenticated'))
  clock.now += 20_000
  t.is(await guess(HERE), 'unauthenticated')
  // They do not extend the lockout.
  t.deepEqual(await guessOften(1_000, HERE), times(1_000, 'too_many_attempts 40'))
  t.is(await ask(HERE, ALICE), 'too_many_attempts 40')
  clock.now += 39_001
  t.is(await ask(HERE, ALICE), 'too_many_attempts 1')
  t.is(verified.length, 10)
  t.is(await ask(HERE, basic('bob')), 'bob', 'another name there')
  t.is(await ask(ELSEWHERE, ALICE), 'alice', 'the user elsewhere')
  clock.now += 999
  t.is(await ask(HERE, ALICE), 'alice')
})

test('a name at another address is checked ahead of a flood of unknown names', async (t) => {
  const { verified, ask, guess } = await given()
  const flood = Array.from({ length: 50 }, (_, n) => guess(HERE, `nobody ${n}`))
  t.is(await ask(ELSEWHERE, ALICE), 'alice')
  const passed = verified.indexOf(passwordOf('alice'))
  t.true(passed <= 3, `${passed} were checked first`)
  await Promise.all(flood)
})

test('another name at the address is checked ahead of a flood of known names', async (t) => {
  const others = Array.from({ length: 200 }, (_, n) => `user ${n}`)
  const { verified, ask, guess } = await given({ others })
  let isOver = false
  const flood = Array.from({ length: 50 }, async (_, n) => {
    for (let i = n; !isOver; i++) {
      await guess(HERE, others[i % others.length])
      await new Promise(setImmediate)
    }
  })
  await Promise.all(others.map((name) => guess(HERE, name)))
  const before = verified.length
  t.is(await ask(HERE, ALICE), 'alice')
  const passed = verified.indexOf(passwordOf('alice')) - before
  isOver = true
  await Promise.all(flood)
  t.true(passed <= 4, `${passed} were checked first`)
})

test('verified credentials keep working during a lockout, at each address that has used them', async (t) => {
  const { ask, guess, guessOften, verified } = await given()
  for (const address of [ELSEWHERE, HERE]) t.is(await ask(address, ALICE), 'alice')
  t.is(verified.length, 1)
  await guessOften(20, HERE)
  t.is(await ask(HERE, ALICE), 'alice')
  for (let i = 0; i < 100; i++) await guess(HERE, `nobody ${i}`)
  await guessOften(3, HERE, 'bob')
  t.is(await guess(HERE, 'bob'), 'too_many_attempts 60')
  t.is(await ask(HERE, ALICE), 'alice')
})

test('of more than 10,000 addresses the one used least recently is locked out like any other', async (t) => {
  const { ask, guessOften } = await given()
  for (let n = 0; n <= 10_000; n++) await ask(`10.1.${n >> 8}.${n & 255}`, ALICE)
  for (const address of ['10.1.0.0', '10.1.0.1']) await guessOften(10, address)
  t.is(await ask('10.1.0.1', ALICE), 'alice')
  t.is(await ask('10.1.0.0', ALICE), 'too_many_attempts 60')
})

test('a locked-out address does not learn that it guessed a password that was, or is being, verified', async (t) => {
  const { ask: known, guessOften: guessKnown } = await given()
  t.is(await known(ELSEWHERE, ALICE), 'alice')
  await guessKnown(10, HERE)
  t.is(await known(HERE, ALICE), 'too_many_attempts 60')
  t.is(await known(HERE, basic('alice', 'battery staple')), 'too_many_attempts 60')
  const begun = Promise.withResolvers<void>()
  const verification = Promise.withResolvers<typeof RIGHT>()
  const verify: typeof verifyPassword = async (_, password) => {
    if (password !== passwordOf('alice')) return WRONG
    begun.resolve()
    return verification.promise
  }
  const { ask, guessOften } = await given({ verify })
  await guessOften(10, HERE)
  const there = ask(ELSEWHERE, ALICE)
  await begun.promise
  const here = ask(HERE, ALICE)
  verification.resolve(RIGHT)
  t.deepEqual([await there, await here], ['alice', 'too_many_attempts 60'])
})

test('requests with no or malformed credentials do not count as attempts', async (t) => {
  const { ask, guess, askOften } = await given()
  const none = [undefined, '', 'Basic', 'Basic !', `Basic ${Buffer.from('alice').toString('base64')}`]
  t.deepEqual(await askOften(200, (n) => ask(HERE, none[n % none.length])), times(200, 'unauthenticated'))
  t.is(await guess(HERE), 'unauthenticated')
  t.is(await ask(HERE, ALICE), 'alice')
})

test('simultaneous attempts are counted when they begin: at most ten are checked', async (t) => {
  const { verified, guess, ask } = await given()
  const answers = await Promise.all(Array.from({ length: 50 }, () => guess(HERE)))
  t.is(answers.filter((answer) => answer === 'unauthenticated').length, 10)
  t.is(answers.filter((answer) => /^too_many_attempts \d+$/.test(answer)).length, 40)
  t.is(verified.length, 10)
  // Those with the same credentials are checked once, and each counts.
  const wrong = basic('bob', 'battery staple')
  await Promise.all(Array.from({ length: 20 }, () => ask(HERE, wrong)))
  t.is(verified.length, 11)
  t.is(await ask(HERE, wrong), 'too_many_attempts 60')
})

test('a client that opens many connections at once is let in, despite a crowd at another address', async (t) => {
  const { ask, guess, guessOften, verified } = await given()
  const crowd = Array.from({ length: 100 }, () => guess(ELSEWHERE))
  const answers = await Promise.all(Array.from({ length: 200 }, () => ask(HERE, ALICE)))
  t.deepEqual(answers, times(200, 'alice'))
  t.is(verified.filter((password) => password === passwordOf('alice')).length, 1)
  t.deepEqual(await guessOften(10, HERE), times(10, 'unauthenticated'))
  await Promise.all(crowd)
})

test('a check that throws is not a failed attempt', async (t) => {
  const verify: typeof verifyPassword = async () => {
    throw new Error('out of memory')
  }
  const { guess } = await given({ verify })
  for (let i = 0; i < 30; i++) await t.throwsAsync(guess(HERE), { message: 'out of memory' })
})

test('all addresses of an IPv6 network count as one', async (t) => {
  const { ask, guess } = await given()
  for (let i = 0; i < 10; i++) t.is(await guess(`2001:db8:1:2::${i}`), 'unauthenticated')
  t.is(await guess('2001:db8:1:2:ffff::1'), 'too_many_attempts 60')
  t.is(await ask('2001:db8:1:3::1', ALICE), 'alice')
})

test('clients of a trusted proxy are counted separately, and no other client can forge its address', async (t) => {
  const { ask, guess, guessOften, askOften } = await given()
  t.is(await ask(PROXY, ALICE, by(ELSEWHERE)), 'alice')
  t.is((await guessOften(11, PROXY, 'alice', by(HERE))).at(-1), 'too_many_attempts 60')
  t.is(await ask(PROXY, ALICE, by(ELSEWHERE)), 'alice')
  t.is(await ask(PROXY, ALICE, by(HERE)), 'too_many_attempts 60', 'on the connection that verified credentials')
  t.is(await ask(PROXY, ALICE, by(`${ELSEWHERE}, ${HERE}`)), 'too_many_attempts 60')
  t.is(await guess(HERE), 'too_many_attempts 60', 'the same client on its own connection')
  const forged = await askOften(11, (n) => guess('203.0.113.9', 'alice', by(`192.0.2.${n}`)))
  t.deepEqual(forged, [...times(10, 'unauthenticated'), 'too_many_attempts 60'])
})
