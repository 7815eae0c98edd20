import type { Verdict } from '../forwarding.ts'

/** Verdicts remembered for a reservation; the oldest makes room. */
const REMEMBERED_MAX = 256

/** Who may connect to one reservation. Verdicts are remembered until `forget`. */
export interface Admissions {
  readonly verdictFor: (address: string) => Verdict | Promise<Verdict>
  /** Remembered verdicts no longer count, nor those being made. */
  readonly forget: () => void
}

export const makeAdmissions = (ask: (address: string) => Promise<Verdict>): Admissions => {
  const remembered = new Map<string, Verdict>()
  /** Shared by the connections of an address. */
  const asked = new Map<string, Promise<Verdict>>()
  let generation = 0

  const decide = async (address: string): Promise<Verdict> => {
    for (;;) {
      const began = generation
      const verdict = await ask(address)
      if (began !== generation) continue
      asked.delete(address)
      // Nobody has decided anything.
      if (!verdict.admitted && verdict.reason === 'undecided') return verdict
      const [oldest] = remembered.keys()
      if (remembered.size >= REMEMBERED_MAX && oldest !== undefined) remembered.delete(oldest)
      remembered.set(address, verdict)
      return verdict
    }
  }

  return {
    verdictFor: (address) => {
      const known = remembered.get(address) ?? asked.get(address)
      if (known !== undefined) return known
      const verdict = decide(address)
      asked.set(address, verdict)
      return verdict
    },
    forget: () => {
      generation++
      remembered.clear()
    },
  }
}
