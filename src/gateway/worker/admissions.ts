import type { Verdict } from '../messages.ts'

/** Maximum verdicts cached for a reservation. The oldest is evicted first. */
const CACHED_MAX = 256

/** Decides who may connect to one reservation. Verdicts are cached until `forget`. */
export const makeAdmissions = (ask: (address: string) => Promise<Verdict>) => {
  const cached = new Map<string, Verdict>()
  /** Concurrent connections from an address share one question. */
  const asked = new Map<string, Promise<Verdict>>()
  let generation = 0

  const decide = async (address: string): Promise<Verdict> => {
    for (;;) {
      const began = generation
      const verdict = await ask(address)
      if (began !== generation) continue
      asked.delete(address)
      // Not a decision: ask again next time.
      if (!verdict.admitted && verdict.reason === 'undecided') return verdict
      const [oldest] = cached.keys()
      if (cached.size >= CACHED_MAX && oldest !== undefined) cached.delete(oldest)
      cached.set(address, verdict)
      return verdict
    }
  }

  return {
    verdictFor: (address: string): Verdict | Promise<Verdict> => {
      const known = cached.get(address) ?? asked.get(address)
      if (known !== undefined) return known
      const verdict = decide(address)
      asked.set(address, verdict)
      return verdict
    },
    /** Invalidates cached verdicts and those still being decided. */
    forget: (): void => {
      generation++
      cached.clear()
    },
  }
}

export type Admissions = ReturnType<typeof makeAdmissions>
