import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../domain/failure.ts'
import { type Assignment, listenPortDecider, type PortRange } from '../domain/listen-port/decide.ts'
import type { SealedSecret } from '../domain/sealed-secret.ts'
import { sutDecider } from '../domain/sut/decide.ts'
import type { SutState, SutValues } from '../domain/sut/state.ts'
import { LISTEN_PORTS_STREAM, sutStream } from '../domain/values/ids.ts'
import type { Outcome, Runner, Sender } from './command-envelope.ts'

/** What a SUT is created with. */
export interface NewSut {
  readonly values: SutValues
  readonly tags?: Readonly<Record<string, string>> | undefined
  /** Seals the SUT's secrets once its id is known. */
  readonly seal: (sutId: string) => SealedCredentials | undefined
}

export interface SutCreationEnvelope extends Sender, NewSut {
  readonly range: PortRange
  /** 8 random bytes in hex for the SUT's id. */
  readonly random: string
}

export interface SealedCredentials {
  readonly credentials: { readonly id: string; readonly changed: readonly ('password' | 'user_name')[] }
  readonly secrets: readonly SealedSecret[]
}

/** The SUT's id and the outcome of its creation. */
export interface SutCreated {
  readonly _id: string
  readonly outcome: Outcome<SutState>
}

/** The second append of a creation, once a port has been assigned. */
export const createWithPort = (
  runner: Runner,
  envelope: Sender,
  { values, tags, seal }: NewSut,
  { sut_id: _id, listen_port, time }: Assignment,
): Promise<E.Either<Failure, Outcome<SutState>>> => {
  const sealed = seal(_id)
  return runner.run(sutDecider, sutStream(_id), {
    ...envelope,
    command: {
      ...{ type: 'CreateSut', _id, listen_port, values, ...(tags && { tags }) },
      ...(sealed && { credentials: sealed.credentials }),
    },
    secrets: sealed?.secrets,
    at: time,
  })
}

/**
 * Creates a SUT in two appends, so that a crash between them is harmless: first the port, with the SUT's id and time,
 * then the SUT. A retry with the same idempotency key continues with the same port.
 */
export const createSut = async (
  runner: Runner,
  envelope: SutCreationEnvelope,
): Promise<E.Either<Failure, SutCreated>> => {
  const { values, tags, range, random, seal, ...common } = envelope
  const command = { type: 'AssignListenPorts', range, randoms: [random] } as const
  const assigned = await runner.run(listenPortDecider, LISTEN_PORTS_STREAM, { ...common, command })
  if (E.isLeft(assigned)) return assigned
  if (assigned.right.kind === 'already') throw new Error('a listen_port was assigned without an event')
  const { id: _id, state } = assigned.right
  const assignment = state.assigned.find(({ sut_id }) => sut_id === _id)
  // If the port has been released, the SUT's stream has begun and the second append records nothing.
  const port = assignment ?? { sut_id: _id, listen_port: 0, time: 0 }
  const created = await createWithPort(runner, common, { values, tags, seal }, port)
  return E.map((outcome: Outcome<SutState>): SutCreated => ({ _id, outcome }))(created)
}
