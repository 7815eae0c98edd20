import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { FirstUser } from '../../../src/app/core/runtime.ts'
import type { NewEvent } from '../../../src/domain/event.ts'
import { EPOCH_BYTES } from '../../../src/domain/events/user.ts'
import { makeEventId, USERS_STREAM } from '../../../src/domain/values/ids.ts'
import { formatMilliseconds } from '../../../src/domain/values/instant.ts'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { readVaultKeyFile } from '../../../src/vault/keys.ts'
import { makeVault } from '../../../src/vault/vault.ts'
import { metadata } from '../../domain/builders.ts'
import { append, done, randomHex } from '../../event-store/new-events.ts'
import { rightOf } from '../../users/builders.ts'

/** Users of one append. */
const AT_ONCE = 500

/** Adds users to the log of a data directory that no service uses, sealed with the key that is there. */
export const writeUsers = async (store: EventStore, data: string, users: readonly FirstUser[]): Promise<void> => {
  const keys = rightOf(await readVaultKeyFile(join(data, 'vault.key')))
  const vault = makeVault({ store, keys, clock: Date.now, randomBytes })
  rightOf(await vault.check())
  let revision = -1
  for await (const page of store.readStream(USERS_STREAM, -1)) revision = page.at(-1)?.revision ?? revision
  for (let from = 0; from < users.length; from += AT_ONCE) {
    const some = users.slice(from, from + AT_ONCE).map(({ name, password, ...user }) => {
      const sealed = vault.sealUser(user._id, { name, password, epoch: randomHex(EPOCH_BYTES) })
      const id = makeEventId(Date.now(), randomHex(10))
      const by = metadata(formatMilliseconds(Date.now()), { actor: 'berth', role: 'system', request_id: id })
      const data = { ...user, credentials: sealed.credentials }
      return { event: { type: 'UserAdded', data, id, metadata: by } as NewEvent, secrets: sealed.secrets }
    })
    const events = some.map(({ event }) => event)
    done(
      await append(
        store,
        USERS_STREAM,
        revision,
        events,
        some.flatMap(({ secrets }) => secrets),
      ),
    )
    revision += events.length
  }
}
