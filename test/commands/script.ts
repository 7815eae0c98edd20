/** A sequence of commands, each compared with the log after it ends. */

import { isDeepStrictEqual } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import type { CommandEnvelope, Outcome, Runner } from '../../src/commands/command-envelope.ts'
import { createSut } from '../../src/commands/create-suts.ts'
import type { IdempotencyKey } from '../../src/commands/idempotency-key.ts'
import { makeRunner } from '../../src/commands/loop.ts'
import type { StreamState } from '../../src/domain/decider.ts'
import type { Recorded } from '../../src/domain/event.ts'
import type { Failure } from '../../src/domain/failure.ts'
import { LISTEN_PORTS_STREAM, sutStream } from '../../src/domain/values/ids.ts'
import type { EventStore } from '../../src/event-store/event-store.ts'
import { administrator, clock, sutValues } from '../domain/builders.ts'
import { randomHex, readAll } from '../event-store/new-events.ts'
import { type AnyCommand, type AnyDecider, anIdempotencyKey, deciderOf, type Memory, STEPS } from './steps.ts'

export const NO_SNAPSHOTS = {
  read: () => undefined,
  keep: () => undefined,
  dropUnwritten: () => undefined,
}

/** Failures after which the client may retry. */
const IN_TROUBLE = ['store_full', 'unavailable', 'outcome_unknown']
const ATTEMPTS_MAX = 3

export interface Setting {
  /** The runner's store. */
  readonly store: EventStore
  /** The same log, without faults. */
  readonly truth: EventStore
  /** Whether every command gets a new runner with an empty cache. */
  readonly isForgetful: boolean
  /** Called before a failed command is retried. */
  readonly repair: () => void
}

const fold = (decider: AnyDecider, events: readonly Recorded[]): StreamState =>
  events.reduce(decider.evolve, decider.initial)

/** Contradictions between the outcome of one attempt and the log. */
const problemsOf = (
  command: AnyCommand,
  ended: E.Either<Failure, Outcome<StreamState>>,
  events: readonly Recorded[],
  requestId: string,
  now: number,
): readonly string[] => {
  const decider = deciderOf(command)
  const ofRequest = events.filter(({ metadata }) => metadata.request_id === requestId)
  const decisionOn = (past: readonly Recorded[]) => {
    const state = fold(decider, past)
    return decider.decide(state, command, Math.max(now, state.time))
  }
  if (E.isLeft(ended)) {
    const { code } = ended.left
    if (code === 'outcome_unknown') return []
    if (ofRequest.length > 0) return [`${command.type} was called ${code}, and is in the log`]
    if (IN_TROUBLE.includes(code)) return []
    const decision = decisionOn(events)
    return E.isLeft(decision) && decision.left.code === code
      ? []
      : [`${command.type} was refused without reason: ${code}`]
  }
  const outcome = ended.right
  switch (outcome.kind) {
    case 'repeated':
      return events.some(({ revision, metadata }) => revision === outcome.revision && metadata.key !== undefined)
        ? []
        : [`${command.type} is not in the log`]
    case 'already': {
      const decision = decisionOn(events)
      return E.isRight(decision) && decision.right.length === 0 ? [] : [`${command.type} had no effect before`]
    }
    case 'recorded': {
      const ids = outcome.events.map(({ id }) => id)
      const first = outcome.events[0]?.revision as number
      const decision = decisionOn(events.filter(({ revision }) => revision < first))
      const decided = E.isRight(decision) ? decision.right.map(({ type, data }) => ({ type, data })) : decision.left
      return [
        ...(isDeepStrictEqual(
          ofRequest.map(({ id }) => id),
          ids,
        )
          ? []
          : [`${command.type} was acknowledged, and is not in the log`]),
        ...(isDeepStrictEqual(
          decided,
          outcome.events.map(({ type, data }) => ({ type, data })),
        )
          ? []
          : [`${command.type} was decided on another past`]),
        ...(isDeepStrictEqual(fold(decider, events), outcome.state)
          ? []
          : [`the cached state after ${command.type} differs from the log`]),
      ]
    }
  }
}

/** Creates the SUT of the sequence, retrying with the same key. */
const theSut = async (setting: Setting, runner: () => Runner, key: IdempotencyKey): Promise<string> => {
  const envelope = {
    actor: administrator,
    requestId: 'creation',
    idempotencyKey: key,
  }
  const sut = { values: sutValues(), seal: () => undefined }
  for (let i = 0; i < ATTEMPTS_MAX; i++) {
    const options = { runner: runner(), store: setting.store, range: { first: 1, last: 65535 }, randomHex }
    const made = await createSut(options, envelope, sut).catch(() => undefined)
    if (made !== undefined && E.isRight(made)) return made.right._id
    setting.repair()
  }
  throw new Error('the SUT could not be created')
}

const creationProblems = async (truth: EventStore, _id: string, key: IdempotencyKey): Promise<readonly string[]> => {
  const ports = (await readAll(truth, LISTEN_PORTS_STREAM)).map(
    ({ data }) => data as { listen_port: number; sut_id: string },
  )
  const assigned = (await readAll(truth, LISTEN_PORTS_STREAM)).filter(({ metadata }) => metadata.key === key.current)
  const created = (await readAll(truth, sutStream(_id))).filter(({ type }) => type === 'SutCreated')
  return [
    ...(new Set(ports.map(({ listen_port }) => listen_port)).size === ports.length ? [] : ['a port is assigned twice']),
    ...(assigned.length === 1 ? [] : [`${assigned.length} ports for one creation`]),
    ...(created.length === 1 ? [] : [`${created.length} creations of one SUT`]),
  ]
}

/** Plays the sequence; returns the problems found. */
export const play = async (setting: Setting): Promise<readonly string[]> => {
  const { store, truth, isForgetful } = setting
  const name = randomHex(6)
  let now = clock('06:00')
  // A store that lies about an append lets nothing more be written. No other one makes a command try for long.
  const options = { randomHex, snapshots: NO_SNAPSHOTS, retryTimeout: 500 }
  const fresh = (): Runner => makeRunner({ store, clock: () => now, ...options })
  const lasting = fresh()
  const runner = (): Runner => (isForgetful ? fresh() : lasting)
  const created = anIdempotencyKey(`${name}-sut`)
  const memory: Memory = { sut: await theSut(setting, runner, created), made: [] }
  const stream = sutStream(memory.sut)
  const problems: string[] = [...(await creationProblems(truth, memory.sut, created))]

  for (const [number, step] of STEPS.entries()) {
    const command = step(memory)
    const key = anIdempotencyKey(`${name}-${number}`)
    for (let i = 0; i < ATTEMPTS_MAX; i++) {
      now += 1000
      const requestId = `${name}-${number}-${i}`
      const envelope: CommandEnvelope<AnyCommand> = { command, actor: administrator, requestId, idempotencyKey: key }
      const ended = await runner().run(deciderOf(command), stream, envelope)
      const events = await readAll(truth, stream)
      problems.push(...problemsOf(command, ended, events, requestId, now))
      if (E.isLeft(ended) && IN_TROUBLE.includes(ended.left.code)) {
        setting.repair()
        if (i === ATTEMPTS_MAX - 1) problems.push(`${command.type} keeps failing: ${ended.left.code}`)
        continue
      }
      const recorded = events.filter(({ metadata }) => metadata.key === key.current)
      if (recorded.length > 1) problems.push(`${command.type} is recorded ${recorded.length} times for one key`)
      if (command.type === 'CreateReservation')
        memory.made.push((recorded[0]?.data as { _id: string } | undefined)?._id)
      break
    }
  }
  return problems
}
