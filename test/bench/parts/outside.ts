import { startSweep } from '../../http/cost/sweep.ts'
import { tidyingLater } from '../../http/harness.ts'
import type { TableRow } from '../measure/table.ts'

/** CPU time on the main thread of especially expensive requests, in milliseconds. */

/** Rounds for a request that seems expensive. */
const ROUNDS = 5
/** Milliseconds above which a request is measured again. */
const EXPENSIVE = 1

/** The kind of a request: the part before the variation, such as `POST /api/sut/:id/tags of`. */
const kindOf = (what: string): string => /^\S+ \S+? (?:with [\w-]+|of)|^\S+ [^?]+/.exec(what)?.[0] ?? what

export const outsideRows = async ({ say }: { readonly say: (line: string) => void }): Promise<readonly TableRow[]> => {
  const later = tidyingLater()
  try {
    const sweep = await startSweep(later)
    const costs: { readonly what: string; readonly isAnyones: boolean; readonly cpu: number }[] = []
    for (const awkward of sweep.requests) {
      const once = await sweep.costOf(awkward)
      const { cpu } = once.cpu > EXPENSIVE ? await sweep.costOf(awkward, 1, ROUNDS) : once
      costs.push({ what: awkward.what, isAnyones: awkward.isAnyones, cpu })
    }
    const costliest = costs.toSorted((a, b) => b.cpu - a.cpu)
    for (const { what, cpu } of costliest.slice(0, 20)) say(`${cpu.toFixed(1)} ms: ${what}`)
    const kinds = Map.groupBy(
      costliest,
      ({ what, isAnyones }) => `${kindOf(what)}${isAnyones ? ', no credentials' : ''}`,
    )
    const rows = [...kinds].map(
      ([kind, ofKind]): TableRow => ({
        what: `${kind}: the most expensive of ${ofKind.length}`,
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
