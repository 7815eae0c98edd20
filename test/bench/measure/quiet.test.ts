import test from 'ava'
import type { Sample } from './processes.ts'
import { foreignCores, type Moment, type Watched } from './quiet.ts'
import { alternate, rowOf } from './sampling.ts'
import { isInDoubt, type TableRow, tableOf, verdict } from './table.ts'

/** A moment `at` seconds, with the CPU seconds used since the machine started. */
const moment = (at: number, cpu: { busy: number; stolen?: number; ours: number }): Moment => {
  const [user, system, softirq, steal] = [cpu.busy * 60, cpu.busy * 30, cpu.busy * 10, (cpu.stolen ?? 0) * 100]
  const stat = `cpu  ${user} 0 ${system} 999 77 0 ${softirq} ${steal} 0 0\ncpu0 1 2 3 4 5 6 7 8 9 10\nintr 12\n`
  return { stat, used: cpu.ours * 1e6, at: at * 1e6 }
}

test('foreign cores are the busy ones minus those of the server and the load', (t) => {
  const before = moment(100, { busy: 50, ours: 20 })
  t.is(foreignCores(before, moment(102, { busy: 53, ours: 23 })), 0)
  t.is(foreignCores(before, moment(102, { busy: 54, ours: 23 })), 0.5)
  t.is(foreignCores(before, moment(102, { busy: 53, ours: 23.5 })), 0, 'never negative')
})

test('CPU time stolen by the host counts as foreign', (t) => {
  const before = moment(0, { busy: 10, stolen: 1, ours: 10 })
  t.is(foreignCores(before, moment(2, { busy: 12, stolen: 2, ours: 12 })), 0.5)
  t.is(foreignCores(before, moment(2, { busy: 13, stolen: 2, ours: 12 })), 1)
})

const verdicts: readonly (readonly [what: string, row: Omit<TableRow, 'what'>, verdict: string])[] = [
  ['a median at the aim', { figures: [1, 7, 9], must: { least: 5 }, aim: { least: 7 } }, 'aim'],
  ['a median between bound and aim', { figures: [6, 6, 9], must: { least: 5 }, aim: { least: 7 } }, 'met'],
  ['a median below the bound', { figures: [4, 4, 9], must: { least: 5 }, aim: { least: 7 } }, 'MISSED'],
  ['a median that is small enough', { figures: [1, 2, 9], must: { most: 3 }, aim: { most: 2 } }, 'aim'],
  ['a median that is too large', { figures: [1, 4, 4], must: { most: 3 }, aim: { most: 2 } }, 'MISSED'],
  ['a row without a bound', { figures: [1] }, ''],
  ['a row of a busy machine', { figures: [9], must: { least: 5 }, busy: 0.72 }, 'busy: others used 0.7 cores'],
  ['a row that was not run', { figures: [], must: { least: 5 }, notRun: 'npm ci' }, 'not run: npm ci'],
]
for (const [what, row, expected] of verdicts) {
  test(`the verdict on ${what} is: ${expected || 'none'}`, (t) => {
    t.is(verdict({ what, ...row }), expected)
    t.is(isInDoubt({ what, ...row }), /^(MISSED|busy)/.test(expected))
  })
}

test('the table is aligned Markdown', (t) => {
  const rows: TableRow[] = [
    { what: 'creates', figures: [0.5, 0.6, 0.7], must: { least: 0.6 } },
    { what: 'CPU', figures: [120], unit: 'us', digits: 0 },
  ]
  t.is(
    tableOf(rows),
    [
      '| what    | median (quartiles) | must         | aim | verdict |',
      '|---------|--------------------|--------------|-----|---------|',
      '| creates | 0.60 (0.55-0.65)   | at least 0.6 |     | met     |',
      '| CPU     | 120 (120-120) us   |              |     |         |',
      '',
    ].join('\n'),
  )
})

const sample: Sample = { requests: 1, microseconds: 1, bytes: 1, refused: 0, broken: 0, statuses: {}, p50: 1, p99: 1 }

/** Two servers with fake samples. `foreign` is the foreign load during each sample of the first, whose requests count up. */
const twoServers = (foreign: readonly (number | undefined)[]) => {
  const order: string[] = []
  let taken = 0
  const left = async (): Promise<Watched<Sample>> => {
    order.push('left')
    const requests = taken++
    return { taken: { ...sample, requests }, cpu: 1, foreign: foreign[requests] }
  }
  const right = async (): Promise<Watched<Sample>> => {
    order.push('right')
    return { taken: sample, cpu: 1, foreign: 0.1 }
  }
  const log: string[] = []
  const run = (rounds: number, warmUp?: number) =>
    alternate({ left, right }, { rounds, say: (line) => log.push(line), ...(warmUp !== undefined && { warmUp }) })
  const figures = async (rounds: number, warmUp?: number) =>
    rowOf(await run(rounds, warmUp), { what: 'requests' }, (round) => round.left.requests)
  return { order, log, figures }
}

test('after warming up, servers take turns, in reverse order every second round', async (t) => {
  const { order, figures } = twoServers([0, 0, 0, 0])
  t.deepEqual(await figures(3), { what: 'requests', figures: [1, 2, 3] })
  t.deepEqual(order, ['left', 'right', 'left', 'right', 'right', 'left', 'left', 'right'])
})

test('servers warm up for the given number of samples, in turns', async (t) => {
  const { order, figures } = twoServers([])
  t.deepEqual(await figures(1, 3), { what: 'requests', figures: [3] })
  t.deepEqual(order, ['left', 'right', 'left', 'right', 'left', 'right', 'left', 'right'])
})

test('a round with foreign load is dropped completely and repeated', async (t) => {
  const { order, log, figures } = twoServers([9, 0, 0.3, 0.2, 0])
  t.deepEqual(await figures(3), { what: 'requests', figures: [1, 3, 4] })
  t.deepEqual(order.slice(4, 8), ['right', 'left', 'right', 'left'], 'in the same order')
  t.deepEqual(log.slice(1), ['round dropped: others used 0.30 cores during left'])
})

test('with too few quiet rounds, the quietest count, and the foreign load is reported', async (t) => {
  const { order, figures } = twoServers([0, 0.9, 0.7, 0, 0.8, 0.9, 0.6])
  t.deepEqual(await figures(2), { what: 'requests', figures: [3, 6], busy: 0.8 })
  t.is(order.length, 14, 'three times the wanted rounds')
})

test('if the foreign load is unknown, no round is dropped', async (t) => {
  const { figures } = twoServers([])
  t.deepEqual(await figures(2), { what: 'requests', figures: [1, 2] })
})
