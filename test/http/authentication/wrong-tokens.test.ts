import test from 'ava'
import { basic } from '../client.ts'
import { ELSEWHERE, given, HERE, times, wrongToken } from './gate.ts'

const REFUSED = 'unauthenticated'

test('after a hundred wrong tokens an address is locked out for the minute, but good ones are let in', async (t) => {
  const { token, clock, ask, askOften } = await given()
  const guess = () => ask(HERE, wrongToken())
  t.deepEqual(await askOften(100, guess), times(100, REFUSED))
  clock.now += 20_000
  t.deepEqual(await askOften(10, guess), times(10, 'too_many_attempts 40'))
  for (const header of [`Bearer ${token}`, basic(token, ''), basic(token, 'x')]) t.is(await ask(HERE, header), 'alice')
  t.is(await ask(ELSEWHERE, wrongToken()), REFUSED)
  clock.now += 40_000
  t.is(await guess(), REFUSED)
})

test('wrong tokens and wrong passwords of an address are counted together', async (t) => {
  const { token, ask, guess, guessOften, askOften } = await given()
  await askOften(50, () => ask(HERE, wrongToken()))
  await askOften(50, (n) => guess(HERE, `nobody ${n}`))
  t.is(await ask(HERE, wrongToken()), 'too_many_attempts 60')
  t.deepEqual(await guessOften(4, HERE), [...times(3, REFUSED), 'too_many_attempts 60'])
  t.is(await ask(HERE, `Bearer ${token}`), 'alice')
})

test('good tokens never lock an address out, and no token costs hashing', async (t) => {
  const { token, verified, ask, askOften } = await given()
  t.deepEqual(await askOften(1_000, () => ask(HERE, `Bearer ${token}`)), times(1_000, 'alice'))
  await askOften(200, () => ask(ELSEWHERE, wrongToken()))
  const damaged = [token.slice(0, -1), `${token}A`, token.toUpperCase(), `${token}=`, 'berth_', 'alice']
  const others = [
    ...damaged.map((text) => `Bearer ${text}`),
    basic(token.replace('berth', 'Berth'), ''),
    basic('berth_x', ''),
    basic('BERTH_ABC', 'x'),
  ]
  for (const header of [...others, 'Bearer forged.session']) t.is(await ask(HERE, header), REFUSED, header)
  t.deepEqual(verified, [])
  t.is(await ask(HERE, wrongToken()), REFUSED)
})

test('tokens that nobody could judge yet are no failures', async (t) => {
  const { token, ask, askOften, setReady } = await given()
  setReady(false)
  t.deepEqual(await askOften(200, () => ask(HERE, wrongToken())), times(200, 'unavailable'))
  t.is(await ask(HERE, `Bearer ${token}`), 'unavailable')
  setReady(true)
  t.is(await ask(HERE, wrongToken()), REFUSED)
})

test('an ended session is no guess, while a forged one is, and a good one is always let in', async (t) => {
  const { ask, askOften } = await given()
  t.deepEqual(await askOften(200, () => ask(HERE, 'Bearer an.old.session')), times(200, REFUSED))
  t.deepEqual(await askOften(100, () => ask(HERE, 'Bearer a.forged.session')), times(100, REFUSED))
  for (const header of ['Bearer a.forged.session', wrongToken()]) t.is(await ask(HERE, header), 'too_many_attempts 60')
  t.is(await ask(HERE, 'Bearer an.old.session'), REFUSED)
  t.is(await ask(HERE, 'Bearer a.session'), 'alice')
})
