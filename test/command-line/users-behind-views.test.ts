import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { keyChecks } from '../../src/config/checks/keys.ts'
import { readConfig } from '../../src/config/config.ts'
import { openHeadless } from '../../src/service/headless.ts'
import type { World } from '../../src/service/world.ts'
import { idOf, start } from '../http/harness.ts'
import { createSut, NOW, reserved } from '../http/requests.ts'
import { changedStore } from '../http/store/stores.ts'
import { stopwatch } from '../http/until.ts'
import { rightOf } from '../users/builders.ts'
import { type } from './terminal.ts'

/** `user add` and `user passwd` whose own service cannot bring its views to the end of the log in time. */

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

test('neither command waits long for the views, and what a new password leaves is reported', async (t) => {
  const { user, log } = await given(t)
  const taken = stopwatch()
  t.is((await user('add', 'carol', '--role', 'tester', '--id', 'c')).code, 0)
  t.is((await user('passwd', 'carol')).code, 0)
  t.is((await user('passwd', 'bob')).code, 0)
  // A request of a service waits 5 s for its views, and each of these is one.
  t.true(taken() < 10_000)
  t.deepEqual(log, ['bindings of running reservations were not ended: the views are behind the log'])
})
