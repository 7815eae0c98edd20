import { setTimeout as delay } from 'node:timers/promises'
import { BEFORE_FIRST, type PublicPosition, type StorePosition } from '../domain/values/position.ts'
import type { EventStore } from '../event-store/event-store.ts'
import { checkOwner, readKnownKeys, type SecretFinding } from './check-secrets.ts'
import { type ExpectedSecrets, makeExpectedSecrets } from './expected-secrets.ts'
import type { KeyRing } from './keys.ts'
import { VAULT_LIMITS, type VaultLimits } from './limits.ts'

/** Events or owners per step, and milliseconds between steps, in which requests are handled. */
const STEP = 20
const STEP_DELAY_MS = 10
/** Events per page. */
const PAGE = 500
/** Consecutive checks that must agree before a finding is reported, since secrets may change during a check. */
const CHECKS_MIN = 3

/** An event's public position and store position. */
interface OwnerEvent {
  readonly position: PublicPosition
  readonly storePosition: StorePosition
}

interface WatchOptions {
  readonly store: EventStore
  readonly keys: () => Pick<KeyRing, 'keys'>
  /**
   * Events about owners of secrets after a position, in order, at most `limit`; undefined while the views are
   * unavailable.
   */
  readonly ownerEvents: (after: PublicPosition, limit: number) => readonly OwnerEvent[] | undefined
  /** `onFound` is called when unusable secrets are found, `onRecovered` when there are none any more. */
  readonly onFound: (findings: readonly SecretFinding[]) => void
  readonly onRecovered: () => void
  readonly onFailure: (error: unknown) => void
  readonly limits?: Partial<VaultLimits>
}

interface WatchContext extends Pick<WatchOptions, 'store' | 'keys' | 'ownerEvents'> {
  readonly signal: AbortSignal
  /** Yields to other work. */
  readonly rest: (milliseconds: number) => Promise<void>
  readonly expected: ExpectedSecrets
  readonly checkEvery: number
}

type Found = ReadonlyMap<string, readonly SecretFinding[]>
const NONE: Found = new Map()

/** Reads new events. False if stopped. */
const makeRead = ({ store, ownerEvents, signal, rest, expected, checkEvery }: WatchContext) => {
  let last = BEFORE_FIRST
  return async (): Promise<boolean> => {
    while (!signal.aborted) {
      const events = ownerEvents(last, PAGE)
      if (events?.length === 0) return true
      if (events === undefined) await rest(checkEvery)
      for (const [n, { position, storePosition }] of (events ?? []).entries()) {
        const record = await store.recordAt(storePosition)
        if (record !== undefined) expected.add(position, record.text)
        last = position
        if (n % STEP === 0) await rest(STEP_DELAY_MS)
        if (signal.aborted) return false
      }
    }
    return false
  }
}

/** Checks owners repeatedly and returns consistent findings. */
const makeCheck = (watching: WatchContext) => {
  const { store, keys, signal, rest, expected, checkEvery } = watching
  const read = makeRead(watching)
  const checkOwners = async (owners: Iterable<string>): Promise<Found> => {
    const found = new Map<string, readonly SecretFinding[]>()
    const isKnownKey = await readKnownKeys(store, keys(), expected)
    let n = 0
    for (const owner of owners) {
      if (signal.aborted) return NONE
      const { findings } = await checkOwner(store, keys(), isKnownKey, owner, expected.owners.get(owner))
      if (findings.length > 0) found.set(owner, findings)
      if (++n % STEP === 0) await rest(STEP_DELAY_MS)
    }
    return found
  }
  return async (owners?: Iterable<string>): Promise<Found> => {
    let found = NONE
    for (let n = 0; n < CHECKS_MIN; n++) {
      if (!(await read())) return NONE
      found = await checkOwners(n > 0 ? found.keys() : (owners ?? [...expected.owners.keys()]))
      if (found.size === 0) return found
      await rest(checkEvery)
    }
    return signal.aborted ? NONE : found
  }
}

/** Checks in the background after a start that every secret is present, opens with its key and belongs to its owner. */
export const watchSecrets = ({ onFound, onRecovered, onFailure, limits, ...options }: WatchOptions) => {
  const { checkEvery, recheckAfter } = { ...VAULT_LIMITS, ...limits }
  const stopping = new AbortController()
  const { signal } = stopping
  const rest = (milliseconds: number): Promise<void> =>
    delay(milliseconds, undefined, { signal, ref: false }).catch(() => undefined)
  const check = makeCheck({ ...options, signal, rest, checkEvery, expected: makeExpectedSecrets() })
  let isReported = false

  const run = async (): Promise<void> => {
    let found = await check()
    while (found.size > 0) {
      if (!isReported) onFound([...found.values()].flat())
      isReported = true
      await rest(recheckAfter)
      found = await check(found.keys())
    }
    if (isReported && !signal.aborted) onRecovered()
  }

  const retryForever = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        return await run()
      } catch (error) {
        if (!signal.aborted) onFailure(error)
        await rest(recheckAfter)
      }
    }
  }
  const ended = retryForever()
  return {
    stop: (): Promise<void> => {
      stopping.abort()
      return ended
    },
  }
}
