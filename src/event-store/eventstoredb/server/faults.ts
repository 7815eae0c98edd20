import { convertToCommandError, ErrorType } from '@eventstore/db-client'

/**
 * What a client error means for a call.
 * - `moved`: the stream is not at the expected revision.
 * - `nowhere`: no event begins at the position.
 * - `denied`: the credentials do not allow it; retrying does not help.
 * - `refused`: the call itself is invalid.
 * - `elsewhere`: the node is not the leader and did nothing; the client switches to the leader.
 * - `unsent`: no node was found, so nothing was sent.
 * - `unanswered`: anything else. The call may have been executed.
 */
export type Fault = 'moved' | 'nowhere' | 'denied' | 'refused' | 'elsewhere' | 'unsent' | 'unanswered'

const byType: Readonly<Partial<Record<ErrorType, Fault>>> = {
  [ErrorType.WRONG_EXPECTED_VERSION]: 'moved',
  [ErrorType.ACCESS_DENIED]: 'denied',
  [ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED]: 'refused',
  [ErrorType.INVALID_ARGUMENT]: 'refused',
  [ErrorType.STREAM_DELETED]: 'refused',
  [ErrorType.NOT_LEADER]: 'elsewhere',
}

// gRPC status codes, for errors without a type.
const byCode: Readonly<Record<number, Fault>> = { 3: 'refused', 7: 'denied', 16: 'denied' }

/** Messages of 23.10 and 24.10 for a position at which no event begins. */
const NO_EVENT_THERE = /Unexpected (Filtered)?ReadAllResult: (Error|InvalidPosition)|read from an invalid position/

interface ClientError {
  readonly type?: ErrorType
  readonly code?: number
  readonly message: string
}

/**
 * Classifies by type and code, never by class alone. While a node cannot be reached, errors may be raw gRPC errors,
 * some without a code. Unknown errors count as unanswered.
 */
export const faultOf = (error: unknown): Fault => {
  if (!(error instanceof Error)) return 'unanswered'
  const { type, code, message } = convertToCommandError(error as never) as ClientError
  if (type === undefined && code === undefined && message.startsWith('Failed to discover')) return 'unsent'
  if (NO_EVENT_THERE.test(message)) return 'nowhere'
  return (type && byType[type]) ?? (code === undefined ? undefined : byCode[code]) ?? 'unanswered'
}

/** Whether the store answered, so that the client is still usable. */
export const isAnswer = (fault: Fault): boolean => fault !== 'unsent' && fault !== 'unanswered'

/** Whether retrying is pointless. */
export const isFinal = (fault: Fault): boolean => isAnswer(fault) && fault !== 'elsewhere'
