import * as E from 'fp-ts/lib/Either.js'
import type { Recorded } from '../domain/event.ts'
import { type Failure, failure } from '../domain/failure.ts'
import { type Assignment, listenPortDecider, type PortRange } from '../domain/listen-port/decide.ts'
import type { SutState } from '../domain/sut/state.ts'
import { LISTEN_PORTS_STREAM, type RandomHex } from '../domain/values/ids.ts'
import { epochMillisecondsOf } from '../domain/values/instant.ts'
import type { StorePosition } from '../domain/values/position.ts'
import type { EventStore } from '../event-store/event-store.ts'
import { type Outcome, type Runner, readAppended, type Sender } from './command-envelope.ts'
import { createWithPort, type NewSut } from './create-sut.ts'

export interface SutImportDependencies {
  readonly runner: Runner
  readonly store: Pick<EventStore, 'readStream'>
  readonly range: PortRange
  readonly randomHex: RandomHex
}

/** A SUT of an import and the store position of its stream. */
export interface ImportedSut {
  readonly _id: string
  readonly storePosition: StorePosition
}

/** SUTs whose second appends are under way at once, so that they share transactions of the store. */
const AT_ONCE = 50

const toAssignment = ({ type, data, metadata }: Recorded): Assignment => {
  if (type !== 'ListenPortAssigned') throw new Error(`an import recorded a ${type} in place of a port`)
  return { ...data, time: epochMillisecondsOf(metadata.time) }
}

/** Assigns all ports in one append. A retry gets the same ones. */
const assignPorts = async (
  dependencies: SutImportDependencies,
  envelope: Sender,
  count: number,
): Promise<E.Either<Failure, readonly Assignment[]>> => {
  const { runner, store, range, randomHex } = dependencies
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

/** Creates SUTs that have ports. Left: the first failure; those after it are not begun. */
const createAll = async (
  { runner }: SutImportDependencies,
  envelope: Sender,
  suts: readonly NewSut[],
  ports: readonly Assignment[],
): Promise<E.Either<Failure, readonly Outcome<SutState>[]>> => {
  // The key is in the stream of the ports. It would stand for one of the SUTs in theirs.
  const common = { ...envelope, idempotencyKey: undefined }
  const outcomes: Outcome<SutState>[] = []
  for (let from = 0; from < suts.length; from += AT_ONCE) {
    const some = suts.slice(from, from + AT_ONCE)
    const ended = await Promise.all(
      some.map((sut, n) => createWithPort(runner, common, sut, ports[from + n] as Assignment)),
    )
    for (const each of ended) {
      if (E.isRight(each)) outcomes.push(each.right)
      else return E.left(incomplete(each.left, suts.length))
    }
  }
  return E.right(outcomes)
}

const incomplete = ({ code, detail }: Failure, count: number): Failure =>
  failure(
    code,
    `${detail} Some of the ${count} SUTs may have been created: repeat the request with its Idempotency-Key to create the others.`,
  )

/** What an import would be refused for, apart from its rows. */
export const checkPorts = (
  { runner, range }: Pick<SutImportDependencies, 'runner' | 'range'>,
  count: number,
  now: number,
): Promise<E.Either<Failure, unknown>> => {
  const command = { type: 'AssignListenPorts', range, randoms: new Array<string>(count).fill('') } as const
  return runner.inspect(listenPortDecider, LISTEN_PORTS_STREAM, (state) =>
    listenPortDecider.decide(state, command, now),
  )
}

/**
 * Creates SUTs: all ports in one append, then each SUT in its own stream. After a crash in between, a retry with the
 * same idempotency key continues with the same ports.
 */
export const importSuts = async (
  dependencies: SutImportDependencies,
  envelope: Sender,
  suts: readonly NewSut[],
): Promise<E.Either<Failure, readonly ImportedSut[]>> => {
  const ports = await assignPorts(dependencies, envelope, suts.length)
  if (E.isLeft(ports)) return ports
  const created = await createAll(dependencies, envelope, suts, ports.right)
  return E.map((outcomes: readonly Outcome<SutState>[]) =>
    outcomes.map(({ storePosition }, n) => ({ _id: (ports.right[n] as Assignment).sut_id, storePosition })),
  )(created)
}
