import type { Alarms } from '../telemetry/alarms.ts'
import { watchSecrets } from '../vault/watch-secrets.ts'
import { withTimeout } from './assemble.ts'
import type { Parts } from './parts.ts'
import type { World } from './world.ts'

/** Findings that an alarm names. */
const NAMED = 3

interface Watched extends Pick<Parts, 'store' | 'views' | 'vault'> {
  readonly alarms: Pick<Alarms, 'raise' | 'clear'>
}

/** Watches the secrets of a service that has started; the function returned ends that. */
export const startSecretWatch = ({ log }: World, { store, views, vault, alarms }: Watched): (() => Promise<void>) => {
  const watch = watchSecrets({
    store,
    keys: vault.keys,
    sutEvents: (after, limit) => {
      const [lists, index] = views.caughtUp() ? [views.lists(), views.log()] : []
      if (lists === undefined || index === undefined) return undefined
      return lists.histories
        .sutEvents(after, limit)
        .map((position) => ({ position, mark: index.markAt(position) as number }))
    },
    onFound: (findings) => {
      const named = findings.slice(0, NAMED).map(({ what }) => what)
      const more = findings.length > NAMED ? `; and ${findings.length - NAMED} more` : ''
      alarms.raise('secrets', `secrets cannot be used: ${named.join('; ')}${more}; "verify --vault" names all`)
    },
    onMended: () => alarms.clear('secrets', 'all secrets can be used again'),
    onFailure: (error) => log.warn({ err: error }, 'the secrets could not be checked; it is tried again'),
  })
  return withTimeout(watch.stop)
}
