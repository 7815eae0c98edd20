import { createSecretKey, randomBytes } from 'node:crypto'
import test from 'ava'
import type { Member, User } from '../../src/domain/user/user.ts'
import { makeLoginSessions, type SessionOwner } from '../../src/users/login-sessions.ts'
import type { Epoch } from '../../src/users/users.ts'
import { makeSealer } from '../../src/vault/derived/sealer.ts'
import type { VaultKey } from '../../src/vault/keys.ts'

const HOUR = 3_600_000
const NOW = Date.parse('2030-05-02T06:00:00.000Z')
const ALICE: User = { _id: '590780914445534540190000', name: 'alice', role: 'tester', accessSince: 4 }
const KEY: VaultKey = { id: 'k1', key: createSecretKey(Buffer.alloc(32, 1)) }
const NEWER: VaultKey = { id: 'k2', key: createSecretKey(Buffer.alloc(32, 2)) }
const EPOCH = { id: 'e1', clear: 'fedcba98'.repeat(4) }

const MEMBER: Omit<Member, keyof User> = {
  ...{ quota: null, scope: '', status: 'present', removal: null, secrets: {}, revision: 0 },
  ...{ created_at: '', updated_at: '' },
}

/** Alice and her epoch on one instance, which a test changes. */
const given = ({ user = ALICE as User | undefined, epoch = EPOCH as Epoch | null, revision = 7 } = {}) => {
  const now = { ring: [KEY] as [VaultKey, ...VaultKey[]], time: NOW, user, epoch, revision, refreshed: 0 }
  const ended = new Set<string>()
  /** What other instances have recorded, and this one reads when it is asked to. */
  const ahead: (() => void)[] = []
  const is = (id: string): boolean => id === ALICE._id
  const sessions = makeLoginSessions({
    sealer: makeSealer(() => ({ current: now.ring[0], keys: now.ring }), 'a purpose', randomBytes),
    users: {
      byId: (id) => (is(id) ? now.user : undefined),
      member: (id) => (is(id) && now.user ? { ...MEMBER, ...now.user, scope: '', revision: now.revision } : undefined),
      epochOf: (id) => (is(id) ? (now.epoch ?? undefined) : undefined),
      refresh: async () => {
        now.refreshed++
        ahead.shift()?.()
      },
    },
    renewEpoch: async () => {
      now.epoch = { id: 'e9', clear: '9'.repeat(32) }
    },
    isEnded: (id) => ended.has(id),
    clock: () => now.time,
    randomHex: (bytes) => randomBytes(bytes).toString('hex'),
  })
  const begin = async (renewable = true) => {
    const { session, expires } = await sessions.begin(ALICE, { renewable })
    return { session, expires, owner: (await sessions.userOf(session)) as SessionOwner }
  }
  return { ...sessions, begin, now, ended, ahead }
}

test('a session of an earlier epoch is not renewed into the present one', async (t) => {
  const { begin, renew, now } = given()
  const { owner } = await begin()
  now.epoch = { id: 'e2', clear: '0'.repeat(32) }
  t.is(renew(owner), undefined)
  now.epoch = null
  t.is(renew(owner), undefined)
})

test('a clock that has gone back shortens no session', async (t) => {
  const { begin, renew, now } = given()
  const { owner, expires } = await begin()
  now.time -= 6 * HOUR
  t.is(renew(owner)?.expires, expires)
})

test('sessions hold under every key of the ring, and end with their key', async (t) => {
  const { begin, userOf, now } = given()
  const { session } = await begin()
  now.ring = [NEWER, KEY]
  t.like(await userOf(session), ALICE)
  const { session: newer } = await begin()
  now.ring = [NEWER]
  t.is(await userOf(session), 'wrong')
  t.like(await userOf(newer), ALICE)
})

test('an instance reads what it does not know yet before it judges a session', async (t) => {
  const elsewhere = given({ epoch: { id: 'e2', clear: '1'.repeat(32) }, revision: 9 })
  const { session } = await elsewhere.begin()
  const here = given()
  here.ahead.push(() => Object.assign(here.now, { epoch: { id: 'e2', clear: '1'.repeat(32) }, revision: 9 }))
  t.like(await here.userOf(session), ALICE)
  t.is(here.now.refreshed, 1)
  t.like(await here.userOf(session), ALICE)
  t.is(here.now.refreshed, 1)
})
