import * as E from 'fp-ts/lib/Either.js'
import { type Failure, refuse } from '../failure.ts'
import type { SutState } from './state.ts'

/** The command applies only if the SUT's record is at one of these revisions. Undefined matches any. */
export type IfMatch = readonly number[] | undefined

export type ExistingSut = Extract<SutState, { status: 'standing' | 'retired' }>

/** Refuses unless the SUT has been created. */
export const requireSut = (state: SutState): E.Either<Failure, ExistingSut> =>
  'values' in state ? E.right(state) : refuse('sut_not_found', 'No SUT has this id.')

export const refuseRetired = (): E.Either<Failure, never> =>
  refuse('sut_retired', 'The SUT is retired. It can be read, but not changed or reserved.')

export const isStale = (state: ExistingSut, ifMatch: IfMatch): boolean =>
  ifMatch !== undefined && !ifMatch.includes(state.recordRevision)

export const refuseStale = (state: ExistingSut): E.Either<Failure, never> =>
  refuse('stale', `The SUT has changed. Its ETag is now "${state.recordRevision}": read it again and retry.`)
