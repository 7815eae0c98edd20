import { tokensOwner, userOwner } from '../../domain/sealed-secret.ts'
import type { EventStore } from '../../event-store/event-store.ts'

/** Deletes a user's secrets and the names of its tokens. */
export const eraseUser = async (store: Pick<EventStore, 'eraseSecrets'>, userId: string): Promise<void> => {
  await store.eraseSecrets(userOwner(userId))
  await store.eraseSecrets(tokensOwner(userId))
}
