import type { NewEvent } from '../../src/domain/event.ts'
import { type SealedSecret, userOwner } from '../../src/domain/sealed-secret.ts'
import { USERS_STREAM } from '../../src/domain/values/ids.ts'
import type { EventStore } from '../../src/event-store/event-store.ts'
import { anEvent, append, aSecret, done, readAll } from './new-events.ts'

/** A secret of a user, sealed with a key of its own. */
export const ofUser = (id: string, field = 'name', key_id = 'k1'): SealedSecret => ({
  ...aSecret('sut-', field),
  owner: userOwner(id),
  key_id,
})

export const added = (_id: string, { id, field }: SealedSecret): NewEvent => ({
  ...anEvent('sut-', ''),
  type: 'UserAdded',
  data: { _id, role: 'tester', credentials: { id, changed: [field as 'name'] } },
})

/** Adds a user, after the users there are. */
export const addUser = async (store: EventStore, id: string, secret = ofUser(id), ...more: readonly SealedSecret[]) => {
  const expected = (await readAll(store, USERS_STREAM)).length - 1
  const event = added(id, secret)
  done(await append(store, USERS_STREAM, expected, [event], [secret, ...more]))
  return { expected, event, secret }
}
