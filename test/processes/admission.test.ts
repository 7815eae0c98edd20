/** Who may connect, decided on what the log says. */

import { createSecretKey } from 'node:crypto'
import test from 'ava'
import type { Runner } from '../../src/commands/command-envelope.ts'
import { reservationDecider } from '../../src/domain/reservation/decide.ts'
import { type AdmissionOptions, makeAdmit } from '../../src/processes/admission.ts'
import { makeClientPseudonyms } from '../../src/vault/derived/client-pseudonyms.ts'
import type { KeyRing } from '../../src/vault/keys.ts'
import { alice, bob, clock, idOf, LISTEN_PORT, reservationCreated, SUT_ID, sutCreated } from '../domain/builders.ts'
import { at, stories } from '../domain/given-when-then.ts'

const [HERE, ELSEWHERE] = ['192.0.2.7', '192.0.2.8']
const keyOf = (id: string, byte: number) => ({ id, key: createSecretKey(Buffer.alloc(32, byte)) })
const [FIRST, SECOND] = [keyOf('k1', 1), keyOf('k2', 2)]
const pseudonymsUnder = (...keys: KeyRing['keys']) =>
  makeClientPseudonyms(() => ({ current: keys[0] ?? FIRST, keys }), 128)

const ADMITTED = { admitted: true, isBound: true, hasPassword: true }
const refused = (reason: string) => ({ admitted: false, reason })

/** A reservation of a `vnc` SUT with a password that its holder made from `HERE`. */
const admits = (given: Partial<AdmissionOptions> = {}, madeBy = alice) => {
  const made = at('05:00', reservationCreated(idOf(1), '06:00', '07:00'), {
    actor: madeBy,
    role: 'tester',
    client: pseudonymsUnder(FIRST).of(HERE),
  })
  const { state } = stories(reservationDecider).given(at('05:00', sutCreated()), made)
  const inspect = (async (_decider, _stream, find) => find(state as never)) as Runner['inspect']
  const [begins, ends] = [clock('06:00'), clock('07:00')]
  const held = {
    _id: idOf(1),
    sut_id: SUT_ID,
    user_id: alice,
    listen_port: LISTEN_PORT,
    starts: begins,
    begins,
    ends,
    ...{ keepalive: 0, kept: 0, hasHeartbeats: false },
    recorded: 'nothing' as const,
  }
  return makeAdmit({
    get: (id) => (id === idOf(1) ? held : undefined),
    targetOf: () => ({ host: '192.0.2.1', port: 5900, protocol: 'vnc', isOurs: true }),
    runner: { inspect },
    clientPseudonyms: pseudonymsUnder(FIRST),
    passwordOf: async () => 'machine secret',
    clients: 'holder',
    ...given,
  })
}
const target = { host: '192.0.2.1', port: 5900, protocol: 'vnc', isOurs: true } as const

test('the address of the holder is admitted, another one is not', async (t) => {
  const admit = admits()
  t.deepEqual(await admit(idOf(1), HERE), ADMITTED)
  t.deepEqual(await admit(idOf(1), ELSEWHERE), refused('not_holder'))
  t.deepEqual(await admit(idOf(2), HERE), refused('over'))
})

test('a binding counts under every key of the ring, and is none once its key is gone', async (t) => {
  const under = (...keys: KeyRing['keys']) => admits({ clientPseudonyms: pseudonymsUnder(...keys) })
  t.deepEqual(await under(SECOND, FIRST)(idOf(1), HERE), ADMITTED)
  t.deepEqual(await under(SECOND, FIRST)(idOf(1), ELSEWHERE), refused('not_holder'))
  for (const address of [HERE, ELSEWHERE]) t.deepEqual(await under(SECOND)(idOf(1), address), refused('not_bound'))
})

test('a reservation that somebody else made is bound to nobody', async (t) => {
  t.deepEqual(await admits({}, bob)(idOf(1), HERE), refused('not_bound'))
})

test('a vault that cannot be read keeps nobody from an rdp or tcp SUT', async (t) => {
  const passwordOf = () => Promise.reject(new Error('the key is lost'))
  for (const protocol of ['rdp', 'tcp'] as const) {
    const admit = admits({ passwordOf, targetOf: () => ({ ...target, protocol }) })
    t.deepEqual(await admit(idOf(1), HERE), { ...ADMITTED, hasPassword: false })
  }
  await t.throwsAsync(async () => admits({ passwordOf })(idOf(1), HERE), { message: 'the key is lost' })
})
