/**
 * Pipelines that share a few machines: each waits for one that fits, works on it, gives it back and begins again some
 * time later. Some are killed and give nothing back, or ask no more while they wait; one of the two instances dies now
 * and then.
 */

import type { Tidying } from '../../http/harness.ts'
import { makeRandom } from '../../process/random.ts'
import { findIdle, judge } from './judge.ts'
import type { LabModel } from './lab-model.ts'
import { openQueueLab, type QueueLab } from './queue-lab.ts'

interface Pipeline {
  readonly user: string
  /** Unix milliseconds of what it does next, unless it waits. */
  next: number
  request: string | undefined
  reservation: string | undefined
}

const MACHINES = 8
const PIPELINES = 64
const MINUTE_MS = 60_000
/** One of so many jobs is killed. */
const KILLED_OF = 10
/** One of so many minutes in which a job waits is its last. */
const KILLED_WAITING_OF = 100

const open = async (t: Tidying, seed: number) => {
  const random = makeRandom(seed)
  const lab = await openQueueLab(t, { random })
  for (let n = 0; n < MACHINES; n++) await lab.addSut({ os: n % 2 === 0 ? 'linux' : 'windows' }, { rack: `${n % 4}` })
  const pipelines: Pipeline[] = []
  for (let n = 0; n < PIPELINES; n++) {
    await lab.addUser(`pipeline-${n}`, 'tester')
    const next = lab.now() + random.below(30) * MINUTE_MS
    pipelines.push({ user: `pipeline-${n}`, next, request: undefined, reservation: undefined })
  }
  return { lab, random, pipelines }
}

type Scene = Awaited<ReturnType<typeof open>>

/** Looks whether a pipeline that waited was granted a machine, which it then works on for a while. */
const begin = ({ lab, random }: Scene, pipeline: Pipeline, model: LabModel): void => {
  const request = model.requests.get(pipeline.request ?? '')
  if (request === undefined || request.status === 'waiting') return
  pipeline.request = undefined
  pipeline.next = lab.now() + (1 + random.below(20)) * MINUTE_MS
  const isKilled = random.below(KILLED_OF) === 0
  if (isKilled || request.status !== 'granted') return
  const held = [...model.reservations.values()].findLast(({ user, ended }) => user === pipeline.user && !ended)
  pipeline.reservation = held?.id
}

const act = async ({ lab, random }: Scene, pipeline: Pipeline, model: LabModel): Promise<void> => {
  const { user, reservation } = pipeline
  pipeline.next = lab.now() + random.below(10) * MINUTE_MS
  if (reservation !== undefined) {
    const held = model.reservations.get(reservation)
    if (held !== undefined) await lab.cancel(random.below(2), held.sut, reservation, user)
    pipeline.reservation = undefined
    return
  }
  const match = random.oneOf([{ os: 'linux' }, { os: 'windows' }, { tags: { rack: ['0', '1'] } }, { sut_type: 'vnc' }])
  const asked = {
    user_id: user,
    target: { match },
    duration: 900 * (1 + random.below(3)),
    wait: 86_400,
    keepalive: 600,
  }
  const id = await lab.ask(random.below(2), { ...asked, priority: random.oneOf([0, 0, 0, 1]) })
  if (/^[0-9a-f]{24}$/.test(id)) pipeline.request = id
}

/** Asks whether there is a machine now. One that is killed while it waits begins again some time later. */
const ask = async ({ lab, random }: Scene, pipeline: Pipeline): Promise<void> => {
  if (pipeline.request === undefined) return
  if (random.below(KILLED_WAITING_OF) > 0) return lab.read(random.below(2), pipeline.request, pipeline.user)
  pipeline.request = undefined
  pipeline.next = lab.now() + random.below(10) * MINUTE_MS
}

/** Minutes from each request to its grant. */
const waitsOf = async (lab: QueueLab): Promise<readonly number[]> => {
  const made = new Map<string, number>()
  const waits: number[] = []
  for (const { type, data, metadata } of await lab.log()) {
    const [id, time] = ['_id' in data ? String(data._id) : '', Date.parse(metadata.time)]
    if (type === 'ReservationRequested') made.set(id, time)
    if (type === 'RequestGranted') waits.push((time - (made.get(id) ?? time)) / MINUTE_MS)
  }
  return waits.toSorted((a, b) => a - b)
}

export const playDay = async (t: Tidying, { seed, hours }: { seed: number; hours: number }) => {
  const scene = await open(t, seed)
  const { lab, random, pipelines } = scene
  const problems: string[] = []
  const asked = new Set<string>()
  for (let minute = 0; minute < 60 * hours && problems.length === 0; minute++) {
    const { model } = judge(await lab.log())
    for (const pipeline of pipelines) {
      if (pipeline.request !== undefined) begin(scene, pipeline, model)
      if (pipeline.request === undefined && pipeline.next <= lab.now()) await act(scene, pipeline, model)
      if (pipeline.request !== undefined) asked.add(pipeline.request)
      await ask(scene, pipeline)
    }
    if (random.below(10) === 0) lab.dieAt(random.below(2), 1 + random.below(4), random.below(2) === 0)
    // Within two seconds, whoever has seen it first.
    await lab.settle()
    for (const idle of findIdle(judge(await lab.log()).model, lab.now())) problems.push(`minute ${minute}: ${idle}`)
    lab.pass(MINUTE_MS)
  }
  const verdict = judge(await lab.log())
  const lost = [...asked].filter((id) => !verdict.model.requests.has(id)).map((id) => `${id} is lost`)
  const waits = await waitsOf(lab)
  const at = (share: number): number => Math.round(waits[Math.floor((waits.length - 1) * share)] ?? 0)
  return {
    problems: [...problems, ...verdict.problems, ...lost],
    counts: { ...verdict.counts, asked: asked.size },
    /** Minutes: the median, the tenth that waited longest, and the longest. */
    waited: { p50: at(0.5), p90: at(0.9), most: at(1) },
  }
}
