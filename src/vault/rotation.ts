import { setTimeout as delay } from 'node:timers/promises'
import { type Resealed, type Resealing, reseal } from './reseal.ts'

/** Between steps, in which requests are handled. */
const STEP_DELAY_MS = 10

/** Times between runs, in milliseconds. */
interface RotationLimits {
  readonly resealEvery: number
  /** After a failure. */
  readonly resealRetryAfter: number
}

const LIMITS: RotationLimits = { resealEvery: 3_600_000, resealRetryAfter: 5_000 }

interface RotationOptions extends Omit<Resealing, 'pause' | 'isStopped'> {
  /** Called if anything changed or failed. */
  readonly onResealed: (resealed: Resealed) => void
  readonly onFailure: (error: unknown) => void
  readonly limits?: Partial<RotationLimits>
}

const isNotable = ({ secrets, unreadable, freed }: Resealed): boolean => secrets + unreadable.length + freed.length > 0

/** Re-encrypts secrets of old keys in the background, for the life of the service. */
export const startRotation = ({ onResealed, onFailure, limits, ...resealing }: RotationOptions) => {
  const { resealEvery, resealRetryAfter } = { ...LIMITS, ...limits }
  const stopping = new AbortController()
  let sleep = new AbortController()
  let isWoken = false

  const rest = async (milliseconds: number): Promise<void> => {
    if (isWoken || stopping.signal.aborted) return
    const signal = AbortSignal.any([sleep.signal, stopping.signal])
    await delay(milliseconds, undefined, { signal, ref: false }).catch(() => undefined)
  }

  const resealOnce = async (): Promise<number> => {
    try {
      const pause = () => delay(STEP_DELAY_MS)
      const resealed = await reseal({ ...resealing, pause, isStopped: () => stopping.signal.aborted })
      if (isNotable(resealed)) onResealed(resealed)
      return resealEvery
    } catch (error) {
      onFailure(error)
      return resealRetryAfter
    }
  }

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      isWoken = false
      sleep = new AbortController()
      await rest(await resealOnce())
    }
  }
  const ended = run()

  return {
    /** Call when the ring has changed. Runs now, or again after the current run. */
    wake: (): void => {
      isWoken = true
      sleep.abort()
    },
    stop: (): Promise<void> => {
      stopping.abort()
      return ended
    },
  }
}
