/**
 * The long forms of the tests, one by one: `npm run test:long`, or some of them by name:
 * `npm run test:long -- crash --rounds 20 --seed 7`.
 */

import { withScope } from './http/harness.ts'
import { type Ended, type Part, type PartOptions, parts } from './long-parts.ts'
import { seedOf } from './process/random.ts'

/** Milliseconds without progress after which a part counts as hung. */
const PART_WITHIN = 20 * 60_000

const HELP = `npm run test:long -- [PART ...] [--rounds N] [--seed N]

${parts.map(({ name, what }) => `  ${name.padEnd(14)} ${what}`).join('\n')}

--rounds replaces each part's own number of rounds, writes, faults or requests.
`

const print = (text: string): boolean => process.stdout.write(`${text}\n`)

/** Shows progress on a terminal. */
const progress = (what: string): void => {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K${what}\r`)
}

const attempt = async ({ run }: Part, options: PartOptions): Promise<Ended> => {
  const hung = Promise.withResolvers<Ended>()
  const problem = `no progress for ${PART_WITHIN / 60_000} minutes`
  const timer = setTimeout(() => hung.resolve({ counts: {}, problems: [problem] }), PART_WITHIN)
  const progress = (what: string): void => {
    timer.refresh()
    options.progress(what)
  }
  try {
    return await Promise.race([withScope((scope) => run(scope, { ...options, progress })), hung.promise])
  } catch (error) {
    return { counts: {}, problems: [(error as Error).stack ?? String(error)] }
  } finally {
    clearTimeout(timer)
  }
}

/** Runs a part, prints its result and returns the verdict. */
const runPart = async (part: Part, options: PartOptions): Promise<string> => {
  print(`\n${part.name}: ${part.what}`)
  const began = performance.now()
  const ended = await attempt(part, options)
  const seconds = `${((performance.now() - began) / 1000).toFixed(1)} s`
  if (typeof ended === 'string') {
    print(`  NOT RUN: ${ended}`)
    return 'NOT RUN'
  }
  print(`  seed ${options.seed}, ${seconds}: ${JSON.stringify(ended.counts)}`)
  for (const problem of ended.problems.slice(0, 20)) print(`  PROBLEM: ${problem}`)
  return ended.problems.length === 0 ? 'passed' : 'FAILED'
}

interface Wanted {
  readonly names: readonly string[]
  readonly count: number | undefined
  readonly seed: number
}

/** The parsed command line, or a sentence that says what is wrong with it. */
const wanted = (args: readonly string[]): Wanted | string => {
  const names: string[] = []
  const numbers = new Map<string, number>()
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as string
    if (parts.some(({ name }) => name === arg)) names.push(arg)
    else if (arg !== '--rounds' && arg !== '--seed') return `there is no part or option ${arg}`
    else if (!/^\d{1,9}$/.test(args[++i] ?? '')) return `${arg} needs a whole number`
    else numbers.set(arg, Number(args[i]))
  }
  return { names, count: numbers.get('--rounds'), seed: numbers.get('--seed') ?? seedOf(process.env) }
}

const main = async (): Promise<number> => {
  const args = process.argv.slice(2)
  const parsed = wanted(args)
  if (typeof parsed === 'string') {
    const isHelp = args.includes('--help')
    print(isHelp ? HELP : `${parsed}\n\n${HELP}`)
    return isHelp ? 0 : 2
  }
  const { names, count, seed } = parsed
  const began = performance.now()
  const verdicts: (readonly [name: string, verdict: string])[] = []
  for (const part of parts) {
    if (names.length > 0 && !names.includes(part.name)) continue
    verdicts.push([part.name, await runPart(part, { seed, count, progress })])
  }
  print(`\nnode ${process.version}, ${((performance.now() - began) / 60_000).toFixed(1)} minutes, seed ${seed}`)
  for (const [name, verdict] of verdicts) print(`  ${name.padEnd(14)} ${verdict}`)
  return verdicts.some(([, verdict]) => verdict === 'FAILED') ? 1 : 0
}

// Exits even if a hung part still holds something open.
process.exit(await main())
