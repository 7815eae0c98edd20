import test, { type ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { type KnownNames, runKnowingNames } from '../../src/commands/claim-name.ts'
import { makeRunner } from '../../src/commands/loop.ts'
import { userDecider } from '../../src/domain/user/decide.ts'
import { makeId, USERS_STREAM } from '../../src/domain/values/ids.ts'
import { foldName } from '../../src/domain/values/user-name.ts'
import type { EventStore } from '../../src/event-store/event-store.ts'
import { administrator, clock } from '../domain/builders.ts'
import { randomHex, readAll } from '../event-store/new-events.ts'
import { aPath, openStore } from '../event-store/sqlite/subject.ts'
import { NO_SNAPSHOTS } from './script.ts'

/** Names by the ids of their secrets, as the vault has them for all instances. */
type Vault = Map<string, string>

/** The command side of one instance, which knows the names that it has read. */
const anInstance = (store: EventStore, vault: Vault) => {
  const now = clock('06:00')
  const runner = makeRunner({ store, clock: () => now, randomHex, snapshots: NO_SNAPSHOTS })
  let known: Vault = new Map()
  let reads = 0
  const names: KnownNames = {
    names: () => known,
    refresh: async () => {
      reads++
      const { users } = await runner.inspect(userDecider, USERS_STREAM, (state) => state)
      const ids = users.map(({ secrets }) => secrets.name ?? '')
      known = new Map(ids.map((id) => [id, vault.get(id) as string]))
    },
  }
  return {
    reads: () => reads,
    /** `recorded`, or the code of the refusal. */
    add: async (name: string): Promise<string> => {
      const credentials = { id: randomHex(12), changed: ['name' as const] }
      vault.set(credentials.id, foldName(name))
      const user = { _id: makeId(now, randomHex(8)), role: 'tester', credentials, folded: foldName(name) } as const
      const ended = await runKnowingNames(names, (known) =>
        runner.run(userDecider, USERS_STREAM, {
          ...{ actor: administrator, requestId: randomHex(8) },
          command: { type: 'AddUsers', users: [user], known },
        }),
      )
      return E.isLeft(ended) ? ended.left.code : ended.right.kind
    },
  }
}

const aStore = async (t: ExecutionContext): Promise<EventStore> => openStore(t, await aPath(t))

test('a claim that does not know a name is decided again once it does', async (t) => {
  const [store, vault] = [await aStore(t), new Map()]
  const [one, other] = [anInstance(store, vault), anInstance(store, vault)]
  t.is(await one.add('Straße'), 'recorded')
  t.is(one.reads(), 0)
  t.is(await other.add('STRASSE'), 'user_name_taken')
  t.is(await other.add('Gasse'), 'recorded')
  t.is(other.reads(), 1)
  t.is(await one.add('gasse'), 'user_name_taken')
  t.is((await readAll(store, USERS_STREAM)).length, 2)
})

const NAMES = Array.from({ length: 12 }, (_, n) => `user ${n}`)

/** Two instances add users of the same names at once. Resolves to the outcomes. */
const race = async (store: EventStore): Promise<readonly string[]> => {
  const vault: Vault = new Map()
  const instances = [anInstance(store, vault), anInstance(store, vault)]
  return Promise.all(NAMES.flatMap((name) => instances.map(({ add }) => add(name))))
}

test('of two instances that add one name at once, one does', async (t) => {
  const store = await aStore(t)
  const outcomes = await race(store)
  const counts = ['recorded', 'user_name_taken'].map((code) => outcomes.filter((one) => one === code).length)
  t.deepEqual(counts, [NAMES.length, NAMES.length], outcomes.join())
  t.is((await readAll(store, USERS_STREAM)).length, NAMES.length)
})

test('names that cannot be read end the claim as unavailable', async (t) => {
  const store = await aStore(t)
  const vault: Vault = new Map()
  t.is(await anInstance(store, vault).add('anna'), 'recorded')
  vault.clear()
  t.is(await anInstance(store, vault).add('bert'), 'unavailable')
  t.is((await readAll(store, USERS_STREAM)).length, 1)
})
