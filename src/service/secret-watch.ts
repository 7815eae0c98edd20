import type { StorePosition } from '../domain/values/position.ts'
import type { Views } from '../read-models/views.ts'
import { watchSecrets } from '../vault/watch-secrets.ts'
import { type Core, type Opening, withTimeout } from './open-core.ts'
import type { Runtime } from './runtime.ts'

/** Findings named in the alarm. */
const NAMED = 3

type Watched = Pick<Core, 'store' | 'vault'> &
  Pick<Opening, 'alarms'> &
  Pick<Runtime, 'log'> & { readonly views: Views }

/** Starts checking the secrets. Returns the function that stops it. */
export const startSecretWatch = ({ log, store, views, vault, alarms }: Watched): (() => Promise<void>) => {
  const watch = watchSecrets({
    store,
    keys: vault.keys,
    ownerEvents: (after, limit) => {
      const [lists, index] = views.caughtUp() ? [views.lists(), views.log()] : []
      if (lists === undefined || index === undefined) return undefined
      return lists.histories
        .ownerEvents(after, limit)
        .map((position) => ({ position, storePosition: index.storePositionAt(position) as StorePosition }))
    },
    onFound: (findings) => {
      const named = findings.slice(0, NAMED).map(({ what }) => what)
      const more = findings.length > NAMED ? `; and ${findings.length - NAMED} more` : ''
      alarms.raise('secrets', `secrets cannot be used: ${named.join('; ')}${more}; "verify --vault" lists all`)
    },
    onRecovered: () => alarms.clear('secrets', 'all secrets can be used again'),
    onFailure: (error) => log.warn({ err: error }, 'checking the secrets failed; retrying'),
  })
  return withTimeout(watch.stop)
}
