import { type Sweep, startSweep } from '../../http/cost/sweep.ts'
import { tidyingLater } from '../../http/harness.ts'
import type { TableRow } from '../measure/table.ts'

/** CPU time on the main thread of especially expensive requests, in milliseconds. */

/** Rounds for a request that seems expensive. */
const ROUNDS = 5
/** Milliseconds above which a request is measured again. */
const EXPENSIVE = 1

/** Multiples of the CPU time of reading the same bytes once, without credentials and with them: 24 and 50 were measured. */
const [OPEN_MAX, KNOWN_MAX] = [30, 60]
/** Multiple of the CPU time of a request of half the size, without the step of the clock, in milliseconds. */
const [GROWTH_MAX, STEP] = [2.5, 2]
/** One of so many kinds of requests is compared, and those that were expensive once. */
const EVERY = 29
const EVER_EXPENSIVE =
  /live with Accept|create of|update of .*(members|tags)|chunks|with (Sec-WebSocket-Protocol|thousands)/
/** How many of the costliest must not grow faster than their size. */
const COSTLIEST = 20
/** How often a figure that is too large is measured again: other load on the machine can only raise it. */
const [RETRIES, ROUNDS_AGAIN] = [8, 3]

const leastOf = async (max: number, figure: (rounds: number) => Promise<number>): Promise<number> => {
  let least = await figure(1)
  for (let n = 0; least > max && n < RETRIES; n++) least = Math.min(least, await figure(ROUNDS_AGAIN))
  return least
}

/** What requests cost, to reading their bytes once and to requests of half the size. */
const comparedRows = async ({ requests, costOf, readingOf }: Sweep): Promise<readonly TableRow[]> => {
  const highest = { anyones: 0, known: 0, growth: 0 }
  for (const awkward of requests.filter(({ what }, n) => n % EVERY === 0 || EVER_EXPENSIVE.test(what))) {
    const [kind, max] = awkward.isAnyones ? (['anyones', OPEN_MAX] as const) : (['known', KNOWN_MAX] as const)
    const ratio = async (rounds: number) =>
      (await costOf(awkward, 1, rounds)).cpu / (await readingOf(awkward, rounds)).cpu
    highest[kind] = Math.max(highest[kind], await leastOf(max, ratio))
  }
  const costs: { readonly awkward: Sweep['requests'][number]; readonly cpu: number }[] = []
  for (const awkward of requests) costs.push({ awkward, cpu: (await costOf(awkward)).cpu })
  for (const { awkward } of costs.toSorted((a, b) => b.cpu - a.cpu).slice(0, COSTLIEST)) {
    const growth = async (rounds: number) =>
      ((await costOf(awkward, 1, rounds)).cpu - STEP) / (await costOf(awkward, 0.5, rounds)).cpu
    highest.growth = Math.max(highest.growth, await leastOf(GROWTH_MAX, growth))
  }
  const row = (what: string, figure: number, most: number): TableRow => ({ what, figures: [figure], must: { most } })
  return [
    row('the most of a request without credentials, to reading its bytes', highest.anyones, OPEN_MAX),
    row('the most of others, to reading their bytes', highest.known, KNOWN_MAX),
    row('the most of those that cost most, to half their size', highest.growth, GROWTH_MAX),
  ]
}

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
    const costly = rows.toSorted((a, b) => (b.figures[0] ?? 0) - (a.figures[0] ?? 0)).slice(0, 40)
    return [...(await comparedRows(sweep)), ...costly]
  } finally {
    await later.tidy()
  }
}
