import { setTimeout as delay } from 'node:timers/promises'
import { type Resealed, type Resealing, reseal } from './reseal.ts'

/** Milliseconds between steps, in which requests are handled. */
const PAUSE = 10
/** Milliseconds until the next check for old keys, and after a failure. */
const RESEAL_EVERY = 3_600_000
const RETRY_AFTER = 5_000

/** Re-encrypts secrets of old keys in the background, for the life of the service. */
export interface Rotation {
  /** Call when the ring has changed. Runs now, or again after the current run. */
  readonly wake: () => void
  readonly stop: () => Promise<void>
}

interface RotationOptions extends Omit<Resealing, 'pause' | 'isStopped'> {
  /** Called if anything changed or failed. */
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
