/** Random histories of those who wait, by two instances that die between appends. */

import type { Criteria } from '../../../src/domain/events/criteria.ts'
import type { Tidying } from '../../http/harness.ts'
import { makeRandom, type Random } from '../../process/random.ts'
import { findIdle, findLeft, judge } from './judge.ts'
import type { Machine } from './lab-machine.ts'
import type { LabModel, Reservation } from './lab-model.ts'
import { changeRole, changeUser, removeUser, type Scene, type Step, USERS } from './people-steps.ts'
import { OTHERS_MS, openQueueLab } from './queue-lab.ts'

export interface Story {
  readonly steps: readonly string[]
  readonly problems: readonly string[]
  readonly counts: Readonly<Record<string, number>>
}

const QUARTER = 900
const WEEK_MS = 604_800_000
const TARGETS: readonly Criteria[] = [
  { os: 'linux' },
  { os: ['LINUX', 'windows'] },
  { tags: { rack: '1' } },
  { tags: { rack: ['1', '2'] }, not: { os: 'windows' } },
  { not: { tags: { broken: '' } }, sut_type: 'vnc' },
]

const ask: Step = async ({ lab, random, suts, requests }, n) => {
  const target = random.below(3) === 0 ? { sut_id: random.oneOf(suts) } : { match: random.oneOf(TARGETS) }
  const asked = {
    ...{ user_id: random.oneOf(USERS), target, duration: random.oneOf([450, QUARTER, 1_500, 3_600, 7_200]) },
    ...{ wait: random.oneOf([3, 600, 7_200, 86_400, 86_400, 86_400]), priority: random.oneOf([-1, 0, 0, 0, 1]) },
    keepalive: random.oneOf([undefined, undefined, 30, 600, 3_600]),
  }
  const by = random.below(4) === 0 ? 'root' : asked.user_id
  const id = await lab.ask(n, asked, by)
  if (/^[0-9a-f]{24}$/.test(id)) requests.push(id)
  return `${by} asks ${JSON.stringify({ ...asked, id })}`
}

const withdraw: Step = async ({ lab, random, requests }, n) => {
  if (requests.length === 0) return 'nothing to withdraw'
  const id = random.oneOf(requests)
  return `withdraw ${id}: ${await lab.withdraw(n, id)}`
}

/** Somebody asks for those who wait: their user by reading or by saying so, or somebody else, which does not count. */
const hear: Step = async ({ lab, random }, n) => {
  const outcomes: string[] = []
  for (const { id, user } of judge(await lab.log()).model.waiting()) {
    const how = random.oneOf(['read', 'read', 'keep', 'by another', 'not'] as const)
    if (how === 'read') await lab.read(n, id, user)
    else if (how === 'by another') await lab.read(n, id, 'nobody')
    const outcome = how === 'keep' ? await lab.keep(n, id) : ''
    outcomes.push(`${id} ${how} ${outcome}`)
  }
  return `hear of ${outcomes.join(', ')}`
}

const retire: Step = async ({ lab, random, suts }, n) => {
  const sut = random.oneOf(suts)
  return `retire ${sut}: ${await lab.retire(n, sut)}`
}

const reserve: Step = async ({ lab, random, suts }, n) => {
  const [sut, user] = [random.oneOf(suts), random.oneOf(USERS)]
  const window = [QUARTER * random.below(8), QUARTER * (1 + random.below(6))] as const
  return `${user} reserves ${sut} ${window}: ${await lab.reserve(n, sut, user, ...window)}`
}

const standingIn = (model: LabModel, now: number): readonly Reservation[] =>
  [...model.reservations.values()].filter(({ ended, end }) => ended === undefined && end > now / 1000)

const cancel: Step = async ({ lab, random }, n) => {
  const standing = standingIn(judge(await lab.log()).model, lab.now())
  if (standing.length === 0) return 'nothing to cancel'
  const given = random.below(4) === 0 ? standing : [random.oneOf(standing)]
  const outcomes: string[] = []
  for (const { id, sut, user } of given) outcomes.push(`cancel ${id}: ${await lab.cancel(n, sut, id, user)}`)
  return outcomes.join(', ')
}

const changeSut: Step = async ({ lab, random, suts }, n) => {
  const sut = random.oneOf(suts)
  const values = random.oneOf([
    { is_active: false },
    { is_active: true },
    { os: 'linux' },
    { os: 'windows' },
    { turnaround: 0 },
    { turnaround: QUARTER },
  ])
  await lab.update(n, sut, values)
  return `update ${sut} ${JSON.stringify(values)}`
}

const tagSut: Step = async ({ lab, random, suts }, n) => {
  const sut = random.oneOf(suts)
  const tags = random.oneOf([{ rack: '1' }, { rack: '2' }, { broken: '' }, { broken: null }])
  await lab.tag(n, sut, tags)
  return `tag ${sut} ${JSON.stringify(tags)}`
}

/** A machine becomes another in the second in which it is offered, by an instance that dies with the offer. */
const changeOffered: Step = async ({ lab, random }, n) => {
  const { model } = judge(await lab.log())
  const wanted = standingIn(model, lab.now()).filter(({ sut }) =>
    model.waiting().some((request) => model.fits(request, sut)),
  )
  if (wanted.length === 0) return 'nobody waits for a machine'
  const { id, sut, user } = random.oneOf(wanted)
  lab.dieAt(n, 2, true)
  const outcome = await lab.cancel(n, sut, id, user)
  await lab.rest()
  const { fields, tags } = model.machines.get(sut) as Machine
  await lab.update(n + 1, sut, { os: fields.os === 'linux' ? 'windows' : 'linux' })
  await lab.tag(n + 1, sut, { rack: tags.rack === '1' ? '2' : '1' })
  return `${n} dies, cancel ${id}: ${outcome}, ${sut} becomes another`
}

const probe: Step = async ({ lab, random, suts }, n) => {
  const sut = random.oneOf(suts)
  const what = random.oneOf(['monitored', 'left alone', 'online', 'online', 'refused', 'refused', 'refused'] as const)
  if (what === 'monitored' || what === 'left alone') await lab.monitor(n, sut, what === 'monitored')
  else await lab.probe(n, sut, what === 'refused' ? what : undefined)
  return `${sut} is ${what}`
}

/** The views of one instance lag behind from here on, or those of none. */
const lag: Step = async ({ lab, random }) => {
  const n = random.oneOf([undefined, 0, 1])
  await lab.lag(n)
  return `${n ?? 'none'} lags behind`
}

const pass: Step = async ({ lab, random }) => {
  const seconds = random.oneOf([0.5, 60, 450, QUARTER, 1_800, 3_700])
  lab.pass(seconds * 1000)
  return `${seconds} s pass`
}

/** A machine is given back in the moment in which a request expires, just after everybody has looked. */
const expire: Step = async (scene, n) => {
  const { lab } = scene
  const { model } = judge(await lab.log())
  const before = Math.min(...model.waiting().map(({ expires }) => expires)) - lab.now() - 500
  if (before < OTHERS_MS || before > WEEK_MS) return 'nothing expires soon'
  lab.pass(before - OTHERS_MS)
  await lab.settle()
  lab.pass(500)
  return `a request expires, ${await cancel(scene, n)}`
}

/** A machine is given back in the moment from which on nobody has asked for a request for too long. */
const lapse: Step = async (scene, n) => {
  const { lab } = scene
  const { model } = judge(await lab.log())
  const moments = model
    .waiting()
    .flatMap(({ heard, keepalive }) => (keepalive === undefined ? [] : [heard + keepalive * 1000]))
  const before = Math.min(...moments) - lab.now()
  if (before < OTHERS_MS || before > WEEK_MS) return 'nothing lapses soon'
  lab.pass(before - OTHERS_MS)
  await lab.settle()
  return `a request lapses, ${await cancel(scene, n)}`
}

const die: Step = async ({ lab, random }, n) => {
  const [appends, isAfter] = [1 + random.below(4), random.below(2) === 0]
  lab.dieAt(n, appends, isAfter)
  return `${n} dies ${isAfter ? 'after' : 'before'} append ${appends}`
}

const STEPS: readonly (readonly [weight: number, step: Step])[] = [
  ...([
    [13, ask],
    [1, withdraw],
    [1, reserve],
    [7, cancel],
    [2, changeSut],
    [2, tagSut],
    [1, changeOffered],
    [3, probe],
  ] as const),
  ...([
    [3, changeUser],
    [1, changeRole],
    [1, removeUser],
    [3, pass],
    [4, hear],
    [1, retire],
    [1, expire],
    [2, lapse],
    [2, die],
    [1, lag],
  ] as const),
]
const CHOICES = STEPS.flatMap(([weight, step]) => Array<Step>(weight).fill(step))
const LENGTH = 20

const begin = async (t: Tidying, random: Random): Promise<Scene> => {
  const lab = await openQueueLab(t, { random })
  for (const user of USERS) await lab.addUser(user, user === 'root' ? 'administrator' : 'tester')
  const suts: string[] = []
  for (const rack of ['1', '2', '1']) suts.push(await lab.addSut({ os: rack === '1' ? 'linux' : 'windows' }, { rack }))
  await lab.update(0, random.oneOf(suts), { turnaround: QUARTER })
  // So that there is a queue soon.
  for (const sut of suts) await lab.reserve(0, sut, 'root', 0, QUARTER * (2 + random.below(6)))
  await lab.settle()
  return { lab, random, suts, requests: [] }
}

/** Plays a story, and looks after each step whether anybody waits for what is free. */
const playStory = async (t: Tidying, seed: number): Promise<Story> => {
  const random = makeRandom(seed)
  const scene = await begin(t, random)
  const { lab } = scene
  const steps: string[] = []
  const problems: string[] = []
  const play = async (step: Step): Promise<void> => {
    steps.push(await step(scene, random.below(2)))
    // Otherwise what a crash has left is there at the next step.
    if (random.below(4) === 0) return lab.rest()
    await lab.settle()
    const { model } = judge(await lab.log())
    for (const problem of [...findIdle(model, lab.now()), ...findLeft(model, lab.now(), lab.reachableFor())])
      problems.push(`after ${steps.length}: ${problem}`)
  }
  for (let n = 0; n < LENGTH; n++) await play(random.oneOf(CHOICES))
  await lab.lag(undefined)
  lab.pass(WEEK_MS)
  await lab.settle()
  const verdict = judge(await lab.log())
  const left = verdict.model.waiting().map(({ id }) => `${id} never ends`)
  const lost = scene.requests.filter((id) => !verdict.model.requests.has(id)).map((id) => `${id} is lost`)
  return { steps, problems: [...problems, ...verdict.problems, ...left, ...lost], counts: { ...verdict.counts } }
}

export interface StoriesReport {
  readonly counts: Readonly<Record<string, number>>
  /** With the steps of the first story that has any. */
  readonly problems: readonly string[]
}

/** Plays stories one after the other, until one has problems. */
export const playHistories = async ({
  stories,
  seed,
  onStory,
}: {
  readonly stories: number
  readonly seed: number
  readonly onStory?: (n: number) => void
}): Promise<StoriesReport> => {
  const counts: Record<string, number> = {}
  for (let n = 0; n < stories; n++) {
    const tidy: (() => void | Promise<void>)[] = []
    const story = await playStory({ teardown: (one) => void tidy.unshift(one) }, seed + n)
    for (const one of tidy) await one()
    for (const [what, count] of Object.entries(story.counts)) counts[what] = (counts[what] ?? 0) + count
    if (story.problems.length > 0)
      return { counts, problems: [...story.problems, `seed ${seed + n}:\n${story.steps.join('\n')}`] }
    onStory?.(n)
  }
  return { counts, problems: [] }
}
