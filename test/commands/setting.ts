import * as E from 'fp-ts/lib/Either.js'
import type { CommandEnvelope, Runner } from '../../src/commands/command-envelope.ts'
import { makeRunner } from '../../src/commands/loop.ts'
import type { FollowedLog, Snapshots } from '../../src/commands/states.ts'
import type { RequestedWindow } from '../../src/domain/calendar/window.ts'
import { reservationDecider } from '../../src/domain/reservation/decide.ts'
import { sutDecider } from '../../src/domain/sut/decide.ts'
import type { SutValues } from '../../src/domain/sut/state.ts'
import { sutStream } from '../../src/domain/values/ids.ts'
import type { EventStore } from '../../src/event-store/event-store.ts'
import { administrator, clock, createReservation, LISTEN_PORT, sutValues } from '../domain/builders.ts'
import { randomHex } from '../event-store/new-events.ts'
import { NO_SNAPSHOTS } from './script.ts'

/** The command side of one service instance. */
export interface Instance {
  /** Creates a SUT and returns its id. */
  readonly aSut: () => Promise<string>
  /** `made`, or the code of the refusal. */
  readonly reserve: (sut: string, window: RequestedWindow) => Promise<string>
  /** `recorded`, `already`, or the code of the refusal. */
  readonly update: (sut: string, values: Partial<SutValues>) => Promise<string>
  readonly keepStates: () => void
  readonly runner: Runner
}

interface InstanceOptions {
  /** 05:58 unless given. */
  readonly clock?: () => number
  readonly snapshots?: Snapshots
  readonly log?: FollowedLog
  readonly statesMax?: number
  readonly isShared?: boolean
  readonly retryTimeout?: number
  readonly commandTimeout?: number
}

export const anInstance = (store: EventStore, options: InstanceOptions = {}): Instance => {
  const runner = makeRunner({ store, clock: () => clock('05:58'), randomHex, snapshots: NO_SNAPSHOTS, ...options })
  const envelope = <C>(command: C): CommandEnvelope<C> => ({ command, actor: administrator, requestId: randomHex(8) })
  return {
    aSut: async () => {
      const _id = randomHex(12)
      const command = { type: 'CreateSut', _id, listen_port: LISTEN_PORT, values: sutValues() } as const
      const made = await runner.run(sutDecider, sutStream(_id), envelope(command))
      if (E.isLeft(made)) throw new Error(made.left.detail)
      return _id
    },
    reserve: async (sut_id, window) => {
      const command = { ...createReservation(window), sut_id, random: randomHex(8) }
      const made = await runner.run(reservationDecider, sutStream(sut_id), envelope(command))
      return E.isLeft(made) ? made.left.code : 'made'
    },
    update: async (sut_id, values) => {
      const command = { type: 'UpdateSut', values } as const
      const updated = await runner.run(sutDecider, sutStream(sut_id), envelope(command))
      return E.isLeft(updated) ? updated.left.code : updated.right.kind
    },
    keepStates: runner.saveStates,
    runner,
  }
}
