import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { keyChecks } from '../../src/service/checks/keys.ts'
import { readConfig } from '../../src/service/config/config.ts'
import { openHeadless } from '../../src/service/headless/headless.ts'
import type { World } from '../../src/service/world.ts'
import { idOf, start } from '../http/harness.ts'
import { createSut, NOW, reserved } from '../http/requests.ts'
import { changedStore } from '../http/store/stores.ts'
import { stopwatch, until } from '../http/until.ts'
import { rightOf } from '../users/builders.ts'
import { type } from './terminal.ts'

/** Commands on users whose own service cannot bring its views to the end of the log in time. */

const now = (): number => Date.parse(NOW)

/** Bob has a running reservation and two later ones. The views of the service in this process read nothing. */
const given = async (t: ExecutionContext) => {
  const service = await start(t, { now: NOW })
  const sut_id = await createSut(service.as('admin'))
  for (const start_in of [0, 3_600, 7_200]) {
    await reserved(service.as('bob'), { user_id: idOf('bob'), sut_id, start_in, duration: 900 })
  }
  await service.stop()
  const environment = { BERTH_DATA: service.data }
  const log: string[] = []
  const say = (_: object, sentence: string): void => void log.push(sentence)
  const openStore = changedStore(join(service.data, 'events.db'), () => ({
    async *subscribe(_, signal) {
      await new Promise((resolve) => signal?.addEventListener('abort', resolve))
    },
  }))
  const world: World = {
    ...{ clock: now, sinceBoot: now, randomBytes, openStore, onFatal: (error) => t.fail(String(error)) },
    log: { info: say, warn: say, error: say },
  }
  const close = await openHeadless(rightOf(readConfig(environment, keyChecks)), world, { mustExist: true })
  t.teardown(close)
  const user = (...line: readonly string[]) => type(['user', ...line], environment, { now })
  return { data: service.data, user, close, log }
}

test('no change of users waits long for the views, and what a new password leaves is reported', async (t) => {
  const { user, log } = await given(t)
  const taken = stopwatch()
  t.is((await user('add', 'carol', '--role', 'tester', '--id', 'c')).code, 0)
  t.is((await user('rename', 'carol', 'Carola')).code, 0)
  t.is((await user('passwd', 'carola')).code, 0)
  t.is((await user('role', 'carola', 'auditor')).code, 0)
  t.is((await user('erase', 'carola')).code, 1)
  t.regex((await user('show', 'CAROLA')).out, /^id\tc\nname\tCarola\nrole\tauditor\n/)
  // A request of a service waits 5 s for its views, and each of these is one.
  t.true(taken() < 10_000)
  t.deepEqual(log, ['bindings of running reservations were not ended: the views are behind the log'])
})

test('a user is removed, without the number of reservations that cannot be read', async (t) => {
  const { user } = await given(t)
  const taken = stopwatch()
  const { code, out } = await user('remove', 'bob', '--reservations', 'keep')
  t.true(taken() < 5_000)
  t.deepEqual([code, out], [0, `removed bob (${idOf('bob')}); reservations of this user remain\n`])
})

test('a user is removed with all reservations, which the next service ends', async (t) => {
  const { data, user, close } = await given(t)
  const { code, out } = await user('remove', 'bob', '--reservations', 'cancel')
  t.deepEqual(
    [code, out],
    [0, `removed bob (${idOf('bob')}); the service ends its reservations once it has read its log\n`],
  )
  await close()
  const service = await start(t, { now: NOW, data })
  const left = async () =>
    (await service.as('admin').get(`/api/sut_reservation?user_id=${idOf('bob')}&current=true`)).json.count
  await until('they are ended', async () => (await left()) === 0, 10_000)
})

test('a running reservation is released, and later ones are cancelled, without a service', async (t) => {
  const { data, close } = await given(t)
  await close()
  const { code, out, error } = await type(
    ['user', 'remove', 'BOB', '--reservations', 'cancel'],
    { BERTH_DATA: data },
    { now },
  )
  t.deepEqual([code, out, error], [0, `removed bob (${idOf('bob')}); 2 reservations cancelled, 1 released\n`, ''])
})

test('without a service, removing a user reports the number of its current and future reservations', async (t) => {
  const { data, close } = await given(t)
  await close()
  const later = () => now() + 3_600_000
  const { out } = await type(['user', 'remove', 'bob', '--reservations', 'keep'], { BERTH_DATA: data }, { now: later })
  t.is(out, `removed bob (${idOf('bob')}); 2 reservations of this user remain\n`)
})
