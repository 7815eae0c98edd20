import test from 'ava'
import type { Sample } from './processes.ts'
import { foreignCores, type Moment, type Watched } from './quiet.ts'
import { alternate, rowOf } from './sampling.ts'
import { isInDoubt, type TableRow, tableOf, verdict } from './table.ts'

/** After so many seconds, with seconds of CPU that were used since the machine started. */
const moment = (at: number, cpu: { busy: number; stolen?: number; ours: number }): Moment => {
  const [user, system, softirq, steal] = [cpu.busy * 60, cpu.busy * 30, cpu.busy * 10, (cpu.stolen ?? 0) * 100]
  const stat = `cpu  ${user} 0 ${system} 999 77 0 ${softirq} ${steal} 0 0\ncpu0 1 2 3 4 5 6 7 8 9 10\nintr 12\n`
  return { stat, used: cpu.ours * 1e6, at: at * 1e6 }
}

test('cores that went to others are those in use without those of the server and the load', (t) => {
  const before = moment(100, { busy: 50, ours: 20 })
  t.is(foreignCores(before, moment(102, { busy: 53, ours: 23 })), 0)
  t.is(foreignCores(before, moment(102, { busy: 54, ours: 23 })), 0.5)
  t.is(foreignCores(before, moment(102, { busy: 53, ours: 23.5 })), 0, 'never less than none')
})

test('what the host takes from a virtual machine went to others too', (t) => {
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
  ['a row of a busy machine', { figures: [9], must: { least: 5 }, busy: 0.72 }, 'busy: others had 0.7 cores'],
  ['a row that was not run', { figures: [], must: { least: 5 }, notRun: 'npm ci' }, 'not run: npm ci'],
]
for (const [what, row, expected] of verdicts) {
  test(`${what} is judged: ${expected || 'not at all'}`, (t) => {
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

/** Samples of two servers; of the first, what others had while each was taken, and how many requests, counted up. */
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
  const said: string[] = []
  const run = (rounds: number, warmUp?: number) =>
    alternate({ left, right }, { rounds, say: (line) => said.push(line), ...(warmUp !== undefined && { warmUp }) })
  const figures = async (rounds: number, warmUp?: number) =>
    rowOf(await run(rounds, warmUp), { what: 'requests' }, (round) => round.left.requests)
  return { order, said, figures }
}

test('servers take turns after warming up, every second round the other way round', async (t) => {
  const { order, figures } = twoServers([0, 0, 0, 0])
  t.deepEqual(await figures(3), { what: 'requests', figures: [1, 2, 3] })
  t.deepEqual(order, ['left', 'right', 'left', 'right', 'right', 'left', 'left', 'right'])
})

test('servers warm up as long as they are told to, in turns', async (t) => {
  const { order, figures } = twoServers([])
  t.deepEqual(await figures(1, 3), { what: 'requests', figures: [3] })
  t.deepEqual(order, ['left', 'right', 'left', 'right', 'left', 'right', 'left', 'right'])
})

test('a round beside which others were busy is dropped with all its samples and taken again', async (t) => {
  const { order, said, figures } = twoServers([9, 0, 0.3, 0.2, 0])
  t.deepEqual(await figures(3), { what: 'requests', figures: [1, 3, 4] })
  t.deepEqual(order.slice(4, 8), ['right', 'left', 'right', 'left'], 'in the same order')
  t.deepEqual(said.slice(1), ['a round is dropped: others had 0.30 cores beside left'])
})

test('where too few rounds were quiet the figures are those of the quietest, and it is told how busy it was', async (t) => {
  const { order, figures } = twoServers([0, 0.9, 0.7, 0, 0.8, 0.9, 0.6])
  t.deepEqual(await figures(2), { what: 'requests', figures: [3, 6], busy: 0.8 })
  t.is(order.length, 14, 'three times the rounds that were wanted')
})

test('where it cannot be told what others did no round is dropped', async (t) => {
  const { figures } = twoServers([])
  t.deepEqual(await figures(2), { what: 'requests', figures: [1, 2] })
})
