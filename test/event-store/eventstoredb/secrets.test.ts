import { status } from '@grpc/grpc-js'
import test, { type ExecutionContext } from 'ava'
import type { NewEvent } from '../../../src/domain/event.ts'
import { type SealedSecret, tokensOwner } from '../../../src/domain/sealed-secret.ts'
import { tokenStream, USERS_STREAM } from '../../../src/domain/values/ids.ts'
import { tokenIssued } from '../../domain/builders.ts'
import { anEvent, append, aSecret, done, outcomeOf } from '../new-events.ts'
import { added, addUser, ofUser } from '../secrets-of-users.ts'
import type { ProtocolServer } from './protocol/protocol-server.ts'
import { failure } from './protocol/wire.ts'
import { aServer } from './server-and-client.ts'
import { openAt } from './subject.ts'

/** Two processes on one store. */
const given = async (t: ExecutionContext) => {
  const server = await aServer(t)
  return {
    server,
    store: await openAt(t, server.address),
    other: await openAt(t, `${server.address}&keepAliveInterval=10500`),
  }
}

/** The events in `$all` that contain a secret. */
const ciphertextsIn = ({ log }: ProtocolServer, { ciphertext }: SealedSecret) => {
  const text = Buffer.from(ciphertext).toString('base64')
  return log.all().filter(({ data }) => Buffer.from(data).toString().includes(text))
}

test('the last event of an erased vault stream, which a scavenge keeps, has no secret', async (t) => {
  const { server, store } = await given(t)
  const { secret } = await addUser(store, 'ann')
  await store.eraseSecrets(secret.owner)
  const ofVault = server.log.all().filter(({ stream }) => stream === 'vault-user:ann')
  t.is(ofVault.length, 2)
  t.is(Buffer.from(ofVault.at(-1)?.data ?? []).toString(), '{"secrets":[]}')
  t.deepEqual(ciphertextsIn(server, secret), ofVault.slice(0, 1), 'until a scavenge $all has the others')
  t.is(server.log.readable('vault-user:ann'), undefined)
  const { length } = server.log.all()
  for (const owner of [secret.owner, 'user:bob']) await store.eraseSecrets(owner)
  t.is(server.log.all().length, length, 'nothing is left to erase')
})

test('every process, and one that starts later, forgets the keys of an erased owner', async (t) => {
  const { server, store, other } = await given(t)
  const [{ secret: ann }, { secret: bob }] = [await addUser(store, 'ann'), await addUser(store, 'bob')]
  t.deepEqual(await other.secretsSealedWith('k1', undefined, 10), [ann, bob])
  await store.eraseSecrets(ann.owner)
  const later = await openAt(t, `${server.address}&keepAliveInterval=10900`)
  for (const process of [store, other, later]) {
    const { reads } = server.counters
    t.deepEqual(await process.secretsSealedWith('k1', undefined, 10), [bob])
    t.true(server.counters.reads - reads <= 4, 'the end, the vault streams of both users and the stream of users')
  }
  const { secret: again } = await addUser(store, 'ann')
  for (const process of [store, other, later])
    t.deepEqual(await process.secretsSealedWith('k1', undefined, 10), [again, bob])
})

test('an erasure is retried while the store does not answer', async (t) => {
  const { server, store } = await given(t)
  const { owner } = (await addUser(store, 'ann')).secret
  for (const kind of ['append', 'delete'] as const) server.failNext(kind, failure(status.UNAVAILABLE, 'gone'), 2)
  await store.eraseSecrets(owner)
  t.deepEqual(await store.readSecrets(owner), [])
})

test('sealed secrets have event ids of their own, the same when they are repeated', async (t) => {
  const { server, store } = await given(t)
  const [ann, bob] = [ofUser('ann'), ofUser('bob')]
  server.faultAppends({ how: 'lost', when: ({ stream }) => stream.startsWith('vault-') })
  const events = [added('ann', ann), added('bob', bob)]
  t.is(outcomeOf(await append(store, USERS_STREAM, -1, events, [ann, bob])), 'done')
  const all = server.log.all().filter(({ stream }) => /^(?:users|vault-)/.test(stream))
  t.deepEqual(all.map(({ stream }) => stream).toSorted(), ['users', 'users', 'vault-user:ann', 'vault-user:bob'])
  t.is(new Set(all.map(({ id }) => id)).size, all.length)
})

test('an append repeated after its answer was lost does not bring back secrets erased meanwhile', async (t) => {
  const { server, store, other } = await given(t)
  const secret = ofUser('ann')
  const event = added('ann', secret)
  server.faultAppends({ how: 'lost', when: ({ stream }) => stream === USERS_STREAM })
  t.is(outcomeOf(await append(store, USERS_STREAM, -1, [event], [secret])), 'done')
  await other.eraseSecrets(secret.owner)
  // Or the node would recognise the repeated secret by its event id.
  server.log.forgetRecent()
  t.is(outcomeOf(await append(store, USERS_STREAM, -1, [event], [secret])), 'done')
  t.deepEqual(await other.readSecrets(secret.owner), [])
  t.is(server.log.readable('vault-user:ann'), undefined)
})

test('a secret whose event was refused does not replace the current one, whatever was read before', async (t) => {
  const { store, other } = await given(t)
  const { secret: current } = await addUser(store, 'ann')
  await addUser(store, 'bob')
  t.deepEqual(await store.readSecrets(current.owner), [current])
  // Another process takes the revision while this one stores its secret.
  const lost = ofUser('ann')
  const [mine, theirs] = await Promise.all([
    append(store, USERS_STREAM, 1, [added('ann', lost)], [lost]),
    append(other, USERS_STREAM, 1, [added('bob', ofUser('bob'))], [ofUser('bob')]),
  ])
  t.deepEqual([outcomeOf(mine), outcomeOf(theirs)].toSorted(), ['done', 'moved'])
  const expected = outcomeOf(mine) === 'done' ? lost : current
  for (const process of [store, other]) t.deepEqual(await process.readSecrets(current.owner), [expected])
})

test('thorough: the names of 600 tokens of a user are read at once with a read for every 256 entries and events', async (t) => {
  const { server, store, other } = await given(t)
  const owner = tokensOwner('ann')
  const stream = tokenStream('ann')
  const ids = Array.from({ length: 600 }, (_, n) => `0f5b3c2a91d84e7766aa${n.toString(16).padStart(4, '0')}`)
  for (const [n, _id] of ids.entries()) {
    const secret: SealedSecret = { ...aSecret('sut-', _id), owner }
    const { data } = tokenIssued({ _id, user_id: 'ann', credentials: { id: secret.id, changed: [_id] } })
    const event: NewEvent = { ...anEvent('sut-', ''), type: 'TokenIssued', data }
    done(await append(store, stream, n - 1, [event], [secret]))
  }
  const lost: SealedSecret = { ...aSecret('sut-', 'f'.repeat(24)), owner }
  const { data } = tokenIssued({ _id: lost.field, user_id: 'ann', credentials: { id: lost.id, changed: [lost.field] } })
  const refused = await append(store, stream, 7, [{ ...anEvent('sut-', ''), type: 'TokenIssued', data }], [lost])
  t.is(outcomeOf(refused), 'moved')
  const { reads } = server.counters
  t.deepEqual(
    (await other.readSecrets(owner)).map(({ field }) => field),
    ids,
    'without that of the refused event',
  )
  t.true(server.counters.reads - reads <= 3 + 4, `${server.counters.reads - reads} reads`)
})
