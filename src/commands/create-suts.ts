/**
 * SUTs are created in two appends each, so that a crash between them is harmless: first the port, with the SUT's id and
 * time, then the SUT. A retry with the same idempotency key continues with the same port.
 */

import * as E from 'fp-ts/lib/Either.js'
import type { Recorded } from '../domain/event.ts'
import type { SecretField } from '../domain/events/sut.ts'
import { type Failure, failure } from '../domain/failure.ts'
import { type Assignment, listenPortDecider, type PortRange } from '../domain/listen-port/decide.ts'
import { sutDecider } from '../domain/sut/decide.ts'
import type { SutState, SutValues } from '../domain/sut/state.ts'
import { LISTEN_PORTS_STREAM, type RandomHex, sutStream } from '../domain/values/ids.ts'
import { epochMillisecondsOf } from '../domain/values/instant.ts'
import type { EventStore } from '../event-store/event-store.ts'
import type { Sealed } from '../vault/vault.ts'
import { type Outcome, type Runner, readAppended, type Sender } from './command-envelope.ts'

export interface NewSut {
  readonly values: SutValues
  readonly tags?: Readonly<Record<string, string>> | undefined
  /** Seals the SUT's secrets once its id is known. */
  readonly seal: (sutId: string) => Sealed<SecretField> | undefined
}

export interface SutCreationOptions {
  readonly runner: Runner
  readonly store: Pick<EventStore, 'readStream'>
  readonly range: PortRange
  readonly randomHex: RandomHex
}

export interface SutCreated {
  readonly _id: string
  readonly outcome: Outcome<SutState>
}

/** SUTs whose second appends are under way at once, so that they share transactions of the store. */
const AT_ONCE = 50

const toAssignment = ({ type, data, metadata }: Recorded): Assignment => {
  if (type !== 'ListenPortAssigned') throw new Error(`a creation recorded a ${type} in place of a port`)
  return { ...data, time: epochMillisecondsOf(metadata.time) }
}

/** Assigns all ports in one append. A retry gets the same ones. */
const assignPorts = async (
  { runner, store, range, randomHex }: SutCreationOptions,
  envelope: Sender,
  count: number,
): Promise<E.Either<Failure, readonly Assignment[]>> => {
  const randoms = Array.from({ length: count }, () => randomHex(8))
  const command = { type: 'AssignListenPorts', range, randoms } as const
  const assigned = await runner.run(listenPortDecider, LISTEN_PORTS_STREAM, { ...envelope, command })
  if (E.isLeft(assigned)) return assigned
  const { right: outcome } = assigned
  const events =
    outcome.kind === 'recorded'
      ? outcome.events
      : await readAppended(store, LISTEN_PORTS_STREAM, outcome.revision, count)
  return E.right(events.map(toAssignment))
}

/** The second append of a creation. */
const createWithPort = async (
  { runner }: Pick<SutCreationOptions, 'runner'>,
  envelope: Sender,
  { values, tags, seal }: NewSut,
  { sut_id: _id, listen_port, time }: Assignment,
): Promise<E.Either<Failure, SutCreated>> => {
  const sealed = seal(_id)
  const created = await runner.run(sutDecider, sutStream(_id), {
    ...envelope,
    command: {
      ...{ type: 'CreateSut', _id, listen_port, values, ...(tags && { tags }) },
      ...(sealed && { credentials: sealed.credentials }),
    },
    secrets: sealed?.secrets,
    at: time,
  })
  return E.map((outcome: Outcome<SutState>): SutCreated => ({ _id, outcome }))(created)
}

export const createSut = async (
  options: SutCreationOptions,
  envelope: Sender,
  sut: NewSut,
): Promise<E.Either<Failure, SutCreated>> => {
  const ports = await assignPorts(options, envelope, 1)
  return E.isLeft(ports) ? ports : createWithPort(options, envelope, sut, ports.right[0] as Assignment)
}

const incomplete = ({ code, detail }: Failure, count: number): Failure =>
  failure(
    code,
    `${detail} Some of the ${count} SUTs may have been created: repeat the request with its Idempotency-Key to create the others.`,
  )

/** What an import would be refused for, apart from its rows. */
export const checkPorts = (
  { runner, range }: Pick<SutCreationOptions, 'runner' | 'range'>,
  count: number,
  now: number,
): Promise<E.Either<Failure, unknown>> => {
  const command = { type: 'AssignListenPorts', range, randoms: new Array<string>(count).fill('') } as const
  return runner.inspect(listenPortDecider, LISTEN_PORTS_STREAM, (state) =>
    listenPortDecider.decide(state, command, now),
  )
}

/** Creates SUTs, whose ports are assigned in one append. Left: the first failure; those after it are not begun. */
export const importSuts = async (
  options: SutCreationOptions,
  envelope: Sender,
  suts: readonly NewSut[],
): Promise<E.Either<Failure, readonly SutCreated[]>> => {
  const ports = await assignPorts(options, envelope, suts.length)
  if (E.isLeft(ports)) return ports
  // The key is in the stream of the ports. It would stand for one of the SUTs in theirs.
  const common = { ...envelope, idempotencyKey: undefined }
  const created: SutCreated[] = []
  for (let from = 0; from < suts.length; from += AT_ONCE) {
    const some = suts.slice(from, from + AT_ONCE)
    const results = await Promise.all(
      some.map((sut, n) => createWithPort(options, common, sut, ports.right[from + n] as Assignment)),
    )
    for (const each of results) {
      if (E.isRight(each)) created.push(each.right)
      else return E.left(incomplete(each.left, suts.length))
    }
  }
  return E.right(created)
}
