import type { Verdict } from '../messages.ts'

/** Maximum verdicts cached for a reservation. The oldest is evicted first. */
const CACHED_MAX = 256

/** Decides who may connect to one reservation. Verdicts are cached until `forget`. */
export const makeAdmissions = (ask: (address: string) => Promise<Verdict>) => {
  /** Verdicts, and questions that concurrent connections from an address share. */
  const known = new Map<string, Verdict | Promise<Verdict>>()
  let generation = 0

  const decide = async (address: string): Promise<Verdict> => {
    for (;;) {
      const began = generation
      const verdict = await ask(address)
      if (began !== generation) continue
      known.delete(address)
      // Not a decision: ask again next time.
      if (!verdict.admitted && verdict.reason === 'undecided') return verdict
      const [oldest] = known.keys()
      if (known.size >= CACHED_MAX && oldest !== undefined) known.delete(oldest)
      known.set(address, verdict)
      return verdict
    }
  }

  return {
    verdictFor: (address: string): Verdict | Promise<Verdict> => {
      const verdict = known.get(address) ?? decide(address)
      if (verdict instanceof Promise) known.set(address, verdict)
      return verdict
    },
    /** Invalidates cached verdicts and those still being decided. */
    forget: (): void => {
      generation++
      for (const [address, verdict] of known) if (!(verdict instanceof Promise)) known.delete(address)
    },
  }
}

export type Admissions = ReturnType<typeof makeAdmissions>
