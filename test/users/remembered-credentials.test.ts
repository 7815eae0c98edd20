import { randomBytes } from 'node:crypto'
import test from 'ava'
import { makeAuthenticator } from '../../src/users/authenticate.ts'
import { type PasswordHash, parsePasswordHash, verifyPassword } from '../../src/users/passwords/password.ts'
import { basic } from '../http/client.ts'
import { aUser, PASSWORDS_ONLY } from './builders.ts'

test('of more verified credentials than are kept, the oldest are verified again', async (t) => {
  const { _id, name, role, password } = await aUser('alice', 'correct horse')
  const user = { _id, name, role, accessSince: 0 }
  const credential = { user, hash: parsePasswordHash(password) as PasswordHash }
  let verified = 0
  const { authenticate } = makeAuthenticator({
    ...PASSWORDS_ONLY,
    // Any spelling of a name is the same user.
    users: { credentialOf: () => credential, isCurrent: () => true, list: () => [user] },
    randomBytes,
    verify: (...given) => {
      verified++
      return verifyPassword(...given)
    },
    rememberedMax: 2,
  })
  const counts: number[] = []
  for (const spelling of ['alice', 'Alice', 'alice', 'ALICE', 'Alice', 'alice']) {
    t.deepEqual(await authenticate(basic(spelling, 'correct horse')), { kind: 'user', user })
    counts.push(verified)
  }
  t.deepEqual(counts, [1, 2, 2, 3, 3, 4])
})
