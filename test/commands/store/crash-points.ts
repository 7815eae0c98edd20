import type { ExecutionContext } from 'ava'
import type { Recorded } from '../../../src/domain/event.ts'
import { BEGINNING, type EventStore } from '../../../src/event-store/event-store.ts'
import { readLog } from '../../event-store/new-events.ts'
import { aPath, openStore } from '../../event-store/sqlite/subject.ts'
import { aClock, aProcess, type Clock } from '../port-setting.ts'
import { dying } from './interrupted-store.ts'

/** Processes that die at each point of a creation or retirement. */

export interface Stage {
  readonly store: EventStore
  readonly clock: Clock
  readonly log: () => Promise<readonly Recorded[]>
  /** A SUT that exists beforehand. */
  readonly bystander: string
}

export const stage = async (t: ExecutionContext): Promise<Stage> => {
  const store = openStore(t, await aPath(t))
  const clock = aClock()
  const bystander = await aProcess(store, clock).create()
  return { store, clock, log: () => readLog(store, BEGINNING), bystander }
}

export const typesOf = (log: readonly Recorded[]): readonly string[] => log.map(({ type }) => type)
export const countOf = (log: readonly Recorded[], type: Recorded['type']): number =>
  log.filter((event) => event.type === type).length

/** Repeats an action with a crash at its first store call, its second, and so on to the last. */
export const atEveryPoint = async (
  t: ExecutionContext,
  act: (stage: Stage, nth: number) => Promise<number>,
  atLeast: number,
): Promise<void> => {
  for (let nth = 1; ; nth++) {
    const calls = await act(await stage(t), nth)
    if (calls >= nth) continue
    t.true(nth > atLeast, `only ${nth - 1} points`)
    return
  }
}

/** A creation by a process that dies at the Nth call; returns its calls and the event of its first append, if any. */
export const crashedCreation = async ({ store, clock, log, bystander }: Stage, nth: number) => {
  const { store: dyingStore, calls } = dying(store, nth)
  const outcome = await aProcess(dyingStore, clock).create('k')
  const assigned = (await log()).find((event) => {
    return event.type === 'ListenPortAssigned' && event.data.sut_id !== bystander
  }) as Extract<Recorded, { type: 'ListenPortAssigned' }> | undefined
  return { calls: calls(), assigned, outcome }
}

/** A retirement by a process that dies at the Nth call. */
export const crashedRetirement = async ({ store, clock, bystander }: Stage, nth: number): Promise<number> => {
  const { store: dyingStore, calls } = dying(store, nth)
  await aProcess(dyingStore, clock).retire(bystander, 'k')
  return calls()
}
