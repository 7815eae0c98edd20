/**
 * Whether the tests of `npm run test:thorough` run: files named `*.thorough.test.ts`, every control and what else is
 * titled so, and again with all their rounds the tests that do more there. `.ci/run` runs them after `npm test`.
 */
export const isThorough = process.env.BERTH_TESTS === 'thorough'

/** The rounds of a test that repeats: a few in `npm test`, all in the thorough run. */
export const rounds = (few: number, all: number): number => (isThorough ? all : few)

/** The test files that run in the thorough run only. */
export const isThoroughFile = (file: string): boolean => file.endsWith('.thorough.test.ts')

const MORE = /\brounds\(|\bisThorough\b/g

/** How often the code of a test, or of a file of tests, says that there is more in the thorough run. */
export const moreIn = (code: string): number => code.replace(/^import .*$/gm, '').match(MORE)?.length ?? 0

/**
 * How the titles of tests begin that run in the thorough run only: those that show only that another can fail, and
 * those whose cases cost more than they are worth on every run.
 */
const ONLY_THERE = /^(?:control|thorough): /

export const isForThorough = (title: string): boolean => ONLY_THERE.test(title)

/** Whether a test file has a test for the thorough run only. */
export const hasOneForThorough = (source: string): boolean => /\b(?:control|thorough): /.test(source)
