import { setTimeout as delay } from 'node:timers/promises'
import type { EventStore } from '../event-store/event-store.ts'
import { checkSut, type SecretFinding } from './check-secrets.ts'
import type { KeyRing } from './keys.ts'
import { makeStanding, type StandingSecrets } from './standing.ts'

/** Events or SUTs looked at in one step, and milliseconds between two steps: requests go on meanwhile. */
const STEP = 20
const PAUSE = 10
/** Events of which the places are read at a time. */
const PAGE = 500
/** Milliseconds until documents are asked for again that are not there yet, and until what was found is looked at again. */
const AGAIN_AFTER = 1_000
const FOUND_AGAIN_AFTER = 60_000
/** How often something must have been found before it is believed: secrets change while they are looked at. */
const LOOKS = 3

/** Where an event is: its public position, and where the store keeps it. */
interface EventPlace {
  readonly position: number
  readonly mark: number
}

interface WatchOptions {
  readonly store: EventStore
  readonly keys: () => Pick<KeyRing, 'keys'>
  /** Events about SUTs behind a position, in order, at most so many; undefined while nobody can say. */
  readonly sutEvents: (after: number, limit: number) => readonly EventPlace[] | undefined
  /** Called when secrets were found that cannot be used, and when there are none any more. */
  readonly onFound: (findings: readonly SecretFinding[]) => void
  readonly onMended: () => void
  readonly onFailure: (error: unknown) => void
}

interface Watching extends Pick<WatchOptions, 'store' | 'keys' | 'sutEvents'> {
  readonly signal: AbortSignal
  /** Lets others have their turn. */
  readonly rest: (milliseconds: number) => Promise<void>
  readonly standing: StandingSecrets
}

type Found = ReadonlyMap<string, readonly SecretFinding[]>
const NONE: Found = new Map()

/** Takes what the documents know of the log; false when it was stopped. */
const makeRead = ({ store, sutEvents, signal, rest, standing }: Watching) => {
  let last = -1
  return async (): Promise<boolean> => {
    while (!signal.aborted) {
      const places = sutEvents(last, PAGE)
      if (places?.length === 0) return true
      if (places === undefined) await rest(AGAIN_AFTER)
      for (const [n, { position, mark }] of (places ?? []).entries()) {
        const record = await store.recordAt(mark)
        if (record !== undefined) standing.add(position, record.text)
        last = position
        if (n % STEP === 0) await rest(PAUSE)
        if (signal.aborted) return false
      }
    }
    return false
  }
}

/** Of some SUTs those with findings, which have been found again and again. */
const makeCheck = (watching: Watching) => {
  const { store, keys, signal, rest, standing } = watching
  const read = makeRead(watching)
  const look = async (suts: Iterable<string>): Promise<Found> => {
    const found = new Map<string, readonly SecretFinding[]>()
    let n = 0
    for (const sutId of suts) {
      if (signal.aborted) return NONE
      const { findings } = await checkSut(store, keys(), sutId, standing.suts.get(sutId))
      if (findings.length > 0) found.set(sutId, findings)
      if (++n % STEP === 0) await rest(PAUSE)
    }
    return found
  }
  return async (suts?: Iterable<string>): Promise<Found> => {
    let found = NONE
    for (let n = 0; n < LOOKS; n++) {
      if (!(await read())) return NONE
      found = await look(n > 0 ? found.keys() : (suts ?? [...standing.suts.keys()]))
      if (found.size === 0) return found
      await rest(AGAIN_AFTER)
    }
    return signal.aborted ? NONE : found
  }
}

/** Checks after a start, in the background, that every secret is there, opens with its key and is its SUT's. */
export const watchSecrets = ({ onFound, onMended, onFailure, ...options }: WatchOptions) => {
  const stopping = new AbortController()
  const { signal } = stopping
  const rest = (milliseconds: number): Promise<void> =>
    delay(milliseconds, undefined, { signal, ref: false }).catch(() => undefined)
  const check = makeCheck({ ...options, signal, rest, standing: makeStanding() })
  let isTold = false

  const run = async (): Promise<void> => {
    let found = await check()
    while (found.size > 0) {
      if (!isTold) onFound([...found.values()].flat())
      isTold = true
      await rest(FOUND_AGAIN_AFTER)
      found = await check(found.keys())
    }
    if (isTold && !signal.aborted) onMended()
  }

  const again = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        return await run()
      } catch (error) {
        if (!signal.aborted) onFailure(error)
        await rest(FOUND_AGAIN_AFTER)
      }
    }
  }
  const ended = again()
  return {
    stop: (): Promise<void> => {
      stopping.abort()
      return ended
    },
  }
}
