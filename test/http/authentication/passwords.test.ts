import test from 'ava'
import { basic, passwordOf } from '../client.ts'
import { ALICE, given, HERE } from './gate.ts'

const WRONG = 'unauthenticated'

test('verified credentials are remembered in any spelling of the header, and wrong ones never', async (t) => {
  const { ask, guess, verified, waited } = await given()
  t.is(await ask(HERE, ALICE), 'alice')
  const digits = ALICE.slice('Basic '.length)
  t.regex(digits, /=$/)
  for (const same of [ALICE, `basic ${digits}`, `BASIC    ${digits}`, `Basic ${digits.replace(/=+$/, '')}`])
    t.is(await ask(HERE, same), 'alice')
  t.deepEqual(waited, [true, false, false, false, false])
  t.is(verified.length, 1)
  for (let n = 0; n < 3; n++) t.is(await guess(HERE), WRONG)
  t.is(verified.length, 4)
})

test('a changed password takes effect at once', async (t) => {
  const { ask, set, remove } = await given()
  const askWith = (password: string) => ask(HERE, basic('alice', password))
  t.is(await ask(HERE, ALICE), 'alice')
  await set('alice', 'battery staple')
  t.deepEqual([await ask(HERE, ALICE), await askWith('battery staple')], [WRONG, 'alice'])
  remove('alice')
  t.is(await askWith('battery staple'), WRONG)
})

test('an imported user whose name begins as a token signs in with its password, also just after the import', async (t) => {
  for (const known of [{ others: ['berth_robot'] }, { recorded: ['berth_robot'] }]) {
    const { ask, verified } = await given(known)
    t.is(await ask(HERE, basic('berth_robot')), 'berth_robot')
    t.is(await ask(HERE, basic('berth_robot', 'battery staple')), WRONG)
    t.is(await ask(HERE, basic('berth_other', 'correct horse')), WRONG)
    t.deepEqual(new Set(verified), new Set([passwordOf('berth_robot'), 'battery staple']))
  }
})
