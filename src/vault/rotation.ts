import { setTimeout as delay } from 'node:timers/promises'
import { type Resealed, type Resealing, reseal } from './reseal.ts'

/** Milliseconds between two steps: requests go on meanwhile. */
const PAUSE = 10
/** Milliseconds until old keys are looked at again, and after a failure. */
const RESEAL_EVERY = 3_600_000
const RETRY_AFTER = 5_000

/** Seals with the current key what old ones have sealed, in the background, for as long as the service runs. */
export interface Rotation {
  /** The ring has changed: looks at once, or again when it is just looking. */
  readonly wake: () => void
  readonly stop: () => Promise<void>
}

interface RotationOptions extends Omit<Resealing, 'pause' | 'isStopped'> {
  /** Told when there was anything to tell. */
  readonly onResealed: (resealed: Resealed) => void
  readonly onFailure: (error: unknown) => void
}

const isNotable = ({ secrets, unreadable, freed }: Resealed): boolean => secrets + unreadable.length + freed.length > 0

export const startRotation = ({ onResealed, onFailure, ...resealing }: RotationOptions): Rotation => {
  const stopping = new AbortController()
  let sleep = new AbortController()
  let isWoken = false

  const rest = async (milliseconds: number): Promise<void> => {
    if (isWoken || stopping.signal.aborted) return
    const signal = AbortSignal.any([sleep.signal, stopping.signal])
    await delay(milliseconds, undefined, { signal, ref: false }).catch(() => undefined)
  }

  const look = async (): Promise<number> => {
    try {
      const pause = () => delay(PAUSE)
      const resealed = await reseal({ ...resealing, pause, isStopped: () => stopping.signal.aborted })
      if (isNotable(resealed)) onResealed(resealed)
      return RESEAL_EVERY
    } catch (error) {
      onFailure(error)
      return RETRY_AFTER
    }
  }

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      isWoken = false
      sleep = new AbortController()
      await rest(await look())
    }
  }
  const ended = run()

  return {
    wake: () => {
      isWoken = true
      sleep.abort()
    },
    stop: () => {
      stopping.abort()
      return ended
    },
  }
}
