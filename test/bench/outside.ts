import { startSweep } from '../http/cost/sweep.ts'
import { tidyingLater } from '../http/harness.ts'
import type { TableRow } from './table.ts'

/** Milliseconds of the main thread that requests take which are as awkward as anybody has thought of; CPU time. */

/** Rounds of a request that seems to be dear. */
const ROUNDS = 5
/** Milliseconds above which a request is measured again. */
const DEAR = 1

/** Requests of one kind: what is before the part that differs, as `POST /api/sut/:id/tags of`. */
const kindOf = (what: string): string => /^\S+ \S+? (?:with [\w-]+|of)|^\S+ [^?]+/.exec(what)?.[0] ?? what

export const outsideRows = async ({ say }: { readonly say: (line: string) => void }): Promise<readonly TableRow[]> => {
  const later = tidyingLater()
  try {
    const sweep = await startSweep(later)
    const costs: { readonly what: string; readonly isAnyones: boolean; readonly cpu: number }[] = []
    for (const awkward of sweep.requests) {
      const once = await sweep.costOf(awkward)
      const { cpu } = once.cpu > DEAR ? await sweep.costOf(awkward, 1, ROUNDS) : once
      costs.push({ what: awkward.what, isAnyones: awkward.isAnyones, cpu })
    }
    const dearest = costs.toSorted((a, b) => b.cpu - a.cpu)
    for (const { what, cpu } of dearest.slice(0, 20)) say(`${cpu.toFixed(1)} ms: ${what}`)
    const kinds = Map.groupBy(dearest, ({ what, isAnyones }) => `${kindOf(what)}${isAnyones ? ', no credentials' : ''}`)
    const rows = [...kinds].map(
      ([kind, ofKind]): TableRow => ({
        what: `${kind}: the dearest of ${ofKind.length}`,
        figures: [ofKind[0]?.cpu ?? Number.NaN],
        unit: 'ms',
        digits: 1,
        must: { most: ofKind[0]?.isAnyones ? 5 : 20 },
      }),
    )
    return rows.toSorted((a, b) => (b.figures[0] ?? 0) - (a.figures[0] ?? 0)).slice(0, 40)
  } finally {
    await later.tidy()
  }
}
