import test from 'ava'
import { makeProgress } from '../../src/command-line/terminal/progress.ts'

/** The output for samples of [seconds, done, total]. */
const shown = (
  samples: readonly (readonly [number, number, number | undefined])[],
  { isWatched = true, isLogged = false } = {},
): readonly string[] => {
  let seconds = 0
  const written: string[] = []
  const write = (text: string): void => {
    written.push(text)
  }
  const progress = makeProgress({ isWatched, stderr: write, redraw: write, now: () => seconds * 1_000 }, { isLogged })
  for (const [at, done, total] of samples) {
    seconds = at
    progress.show(done, total)
  }
  progress.end()
  return written
}

test('progress on a terminal shows the rate and the time left', (t) => {
  t.deepEqual(
    shown([
      [0, 0, 1_000],
      [2, 200, 1_000],
      [10, 1_000, 1_000],
    ]),
    ['0 of 1000 events', '200 of 1000 events, 100 a second, 8 s left', '1000 of 1000 events, 100 a second', ''],
  )
})

test('the time left is said in seconds, minutes and hours, by the rate of this run alone', (t) => {
  for (const [total, left] of [
    [101, '1 s left'],
    [6_000, '59 s left'],
    [12_100, '2 min left'],
    [909_100, '2 h 32 min left'],
    [undefined, undefined],
  ] as const) {
    const [, last] = shown([
      [0, 0, total],
      [1, 100, total],
    ])
    t.is(
      last,
      [
        `100${total === undefined ? '' : ` of ${total}`} events`,
        '100 a second',
        ...(left === undefined ? [] : [left]),
      ].join(', '),
    )
  }
  const texts = shown([
    [0, 900, 1_000],
    [1, 910, 1_000],
    [20, 0, 100],
    [21, 50, 100],
  ])
  t.deepEqual(
    [texts[1], texts[3]],
    ['910 of 1000 events, 10 a second, 9 s left', '50 of 100 events, 50 a second, 1 s left'],
  )
})

test('the line is updated at most ten times a second, and at the end', (t) => {
  const samples = Array.from({ length: 101 }, (_, n) => [n / 1_000, n, 100] as const)
  t.is(shown(samples).length, 3)
})

test('without a terminal, progress is a line every ten seconds, or nothing', (t) => {
  const samples = Array.from({ length: 31 }, (_, n) => [n, n, 100] as const)
  t.deepEqual(shown(samples, { isWatched: false }), [])
  t.deepEqual(shown(samples, { isWatched: false, isLogged: true }), [
    '10 of 100 events, 1 a second, 2 min left\n',
    '20 of 100 events, 1 a second, 1 min left\n',
    '30 of 100 events, 1 a second, 1 min left\n',
  ])
})
