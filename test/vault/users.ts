import type { NewEvent } from '../../src/domain/event.ts'
import { tokenStream, USERS_STREAM } from '../../src/domain/values/ids.ts'
import type { EventStore } from '../../src/event-store/event-store.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { tokenIssued } from '../domain/builders.ts'
import { anEvent, append, readAll } from '../event-store/new-events.ts'
import { rightOf } from '../users/builders.ts'

type UserSecrets = Parameters<Vault['sealUser']>[1]

const record = async (
  store: EventStore,
  event: Pick<NewEvent, 'type' | 'data'>,
  secrets?: Parameters<typeof append>[4],
): Promise<void> => {
  const expected = (await readAll(store, USERS_STREAM)).length - 1
  rightOf(await append(store, USERS_STREAM, expected, [{ ...anEvent('sut-', ''), ...event } as NewEvent], secrets))
}

const sealed = (vault: Vault, id: string, secrets: UserSecrets) => {
  const made = vault.sealUser(id, secrets)
  if (made === undefined) throw new Error('nothing was sealed')
  return { credentials: { ...made.credentials, changed: [...made.credentials.changed] }, secrets: made.secrets }
}

const ALL = { name: 'Ann', password: 'a hash', epoch: 'an epoch' }

/** Records a new user and its secrets. */
export const addUser = async (
  store: EventStore,
  vault: Vault,
  _id: string,
  given: UserSecrets = ALL,
): Promise<void> => {
  const { credentials, secrets } = sealed(vault, _id, given)
  await record(store, { type: 'UserAdded', data: { _id, role: 'tester', credentials } }, secrets)
}

export const changeUser = async (store: EventStore, vault: Vault, _id: string, given: UserSecrets): Promise<void> => {
  const { credentials, secrets } = sealed(vault, _id, given)
  await record(store, { type: 'UserChanged', data: { _id, credentials } }, secrets)
}

/** Records a new token of a user, whose name is a secret. */
export const addToken = async (store: EventStore, vault: Vault, user_id: string, _id: string, name = 'nightly') => {
  const { credentials, secrets } = vault.sealTokenName(user_id, _id, name)
  const { data } = tokenIssued({ _id, user_id, credentials: { ...credentials, changed: [_id] } })
  const stream = tokenStream(user_id)
  const expected = (await readAll(store, stream)).length - 1
  const event = { ...anEvent('sut-', ''), type: 'TokenIssued', data } as NewEvent
  rightOf(await append(store, stream, expected, [event], secrets))
}

/** Records that a user was removed and erased. Its secrets are still there. */
export const recordErasure = async (store: EventStore, _id: string): Promise<void> => {
  await record(store, { type: 'UserRemoved', data: { _id, reservations: 'keep' } })
  await record(store, { type: 'UserErased', data: { _id } })
}
