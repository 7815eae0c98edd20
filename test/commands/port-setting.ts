/** Processes that create, import and retire SUTs, and sweep orphaned ports of others; also such as die meanwhile. */

import type { ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import type { Runner } from '../../src/commands/command-envelope.ts'
import { createSut, importSuts } from '../../src/commands/create-suts.ts'
import { makeSweep, releasePort } from '../../src/commands/listen-ports.ts'
import { makeRunner } from '../../src/commands/loop.ts'
import type { Recorded } from '../../src/domain/event.ts'
import { sutDecider } from '../../src/domain/sut/decide.ts'
import { sutStream } from '../../src/domain/values/ids.ts'
import { BEGINNING, type EventStore } from '../../src/event-store/event-store.ts'
import { administrator, sutValues } from '../domain/builders.ts'
import { randomHex, readLog } from '../event-store/new-events.ts'
import { aPath, openStore } from '../event-store/sqlite/subject.ts'
import { NO_SNAPSHOTS } from './script.ts'
import { anIdempotencyKey } from './steps.ts'
import { dying } from './store/interrupted-store.ts'

export const RANGE = { first: 4000, last: 4004 }
/** The names of the SUTs of an import. */
export const NAMES = ['one', 'two', 'three']

export interface Clock {
  /** Unix milliseconds. */
  readonly now: () => number
  readonly pass: (milliseconds: number) => void
}

export const aClock = (): Clock => {
  let now = Date.parse('2030-05-02T05:58:11.400Z')
  return {
    now: () => now,
    pass: (milliseconds) => {
      now += milliseconds
    },
  }
}

type Standing = 'standing' | 'retired' | undefined

/** The status of a SUT by views that are up to date. */
export const standingsIn = (log: readonly Recorded[]): ((sutId: string) => Standing) => {
  const ofSut = (type: Recorded['type']) =>
    new Set(log.filter((event) => event.type === type).map(({ stream }) => stream))
  const [created, retired] = [ofSut('SutCreated'), ofSut('SutRetired')]
  return (id) => (retired.has(sutStream(id)) ? 'retired' : created.has(sutStream(id)) ? 'standing' : undefined)
}

export interface Process {
  readonly runner: Runner
  /** The id of the new SUT, or the code of the refusal. */
  readonly create: (key?: string) => Promise<string>
  /** The ids of the new SUTs, or the code of the refusal. */
  readonly import: (key?: string, range?: typeof RANGE) => Promise<readonly string[] | string>
  /** `recorded`, `already` or the code of the refusal. */
  readonly retire: (id: string, key?: string) => Promise<string>
  readonly sweep: (standingOf?: (sutId: string) => Standing) => Promise<void>
}

/** `truth` is the same log without the faults of `store`. */
export const aProcess = (store: EventStore, clock: Clock, truth: EventStore = store): Process => {
  const runner = makeRunner({ store, clock: clock.now, randomHex, snapshots: NO_SNAPSHOTS })
  const by = (key: string | undefined) => ({
    actor: administrator,
    requestId: randomHex(8),
    idempotencyKey: key === undefined ? undefined : anIdempotencyKey(key),
  })
  return {
    runner,
    create: async (key) => {
      const sut = { values: sutValues(), seal: () => undefined }
      const made = await createSut({ runner, store, range: RANGE, randomHex }, by(key), sut)
      return E.isLeft(made) ? made.left.code : made.right._id
    },
    import: async (key, range = RANGE) => {
      const suts = NAMES.map((name) => ({ values: { ...sutValues(), name }, seal: () => undefined }))
      const imported = await importSuts({ runner, store, range, randomHex }, by(key), suts).catch((error: Error) =>
        E.left({ code: error.name }),
      )
      return E.isLeft(imported) ? imported.left.code : imported.right.map(({ _id }) => _id)
    },
    retire: async (id, key) => {
      const envelope = { command: { type: 'RetireSut' } as const, ...by(key) }
      const retired = await runner.run(sutDecider, sutStream(id), envelope)
      if (E.isLeft(retired)) return retired.left.code
      await releasePort(runner, id, randomHex(8))
      return retired.right.kind
    },
    sweep: async (standingOf) => {
      const standing = standingOf ?? standingsIn(await readLog(truth, BEGINNING))
      await makeSweep({ runner, clock: clock.now, sutStatusOf: standing, makeRequestId: () => randomHex(8) })()
    },
  }
}

/** Ports that are lost, assigned twice or wrongly released. */
export const portFaults = (log: readonly Recorded[]): readonly string[] => {
  const faults: string[] = []
  const held = new Map<number, string>()
  const standing = new Map<string, number>()
  for (const event of log) {
    switch (event.type) {
      case 'ListenPortAssigned': {
        const { listen_port, sut_id } = event.data
        if (held.has(listen_port)) faults.push(`${listen_port} was assigned to ${sut_id} while in use`)
        held.set(listen_port, sut_id)
        break
      }
      case 'ListenPortReleased': {
        const { listen_port, sut_id } = event.data
        if (held.get(listen_port) !== sut_id)
          faults.push(`${listen_port} was released by ${sut_id}, which did not hold it`)
        held.delete(listen_port)
        break
      }
      case 'SutCreated':
        if (held.get(event.data.listen_port) !== event.data._id)
          faults.push(`${event.data._id} was created without its port`)
        standing.set(event.data._id, event.data.listen_port)
        break
      case 'SutRetired':
        standing.delete(event.data._id)
    }
  }
  for (const [port, sut] of held) if (standing.get(sut) !== port) faults.push(`${port} is lost to ${sut}`)
  for (const [sut, port] of standing) if (held.get(port) !== sut) faults.push(`${sut} is without ${port}`)
  return faults
}

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

/**
 * Repeats an action of a process that dies at its first store call, its second, and so on to the last, and what comes
 * after it.
 */
export const atEveryPoint = async (
  t: ExecutionContext,
  act: (process: Process, stage: Stage) => Promise<unknown>,
  then: (stage: Stage) => Promise<void>,
): Promise<void> => {
  for (let nth = 1; ; nth++) {
    const given = await stage(t)
    const { store, calls } = dying(given.store, nth)
    await act(aProcess(store, given.clock, given.store), given).catch(() => undefined)
    await then(given)
    t.deepEqual(portFaults(await given.log()), [], `point ${nth}`)
    if (calls() >= nth) continue
    t.true(nth > 4, `only ${nth - 1} points`)
    return
  }
}
