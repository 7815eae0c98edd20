/**
 * Whether the tests of `npm run test:thorough` run: files named `*.thorough.test.ts`, every control, and again with all
 * their rounds the files that do more there. `.ci/run` runs them after `npm test`.
 */
export const isThorough = process.env.BERTH_TESTS === 'thorough'

/** The rounds of a test that repeats: a few in `npm test`, all in the thorough run. */
export const rounds = (few: number, all: number): number => (isThorough ? all : few)

/** Whether a test file does more in the thorough run. */
export const hasMore = (source: string): boolean => /\brounds\(|\bisThorough\b/.test(source)

/** Whether a test shows only that another can fail. */
export const isControl = (title: string): boolean => title.startsWith('control: ')
