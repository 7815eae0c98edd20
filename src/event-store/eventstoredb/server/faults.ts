import { convertToCommandError, ErrorType } from '@eventstore/db-client'

/**
 * What an error of the client means for a call.
 * - `moved`: the stream is not at the expected revision.
 * - `missing`: there is no such stream.
 * - `nowhere`: no event begins at the position.
 * - `denied`: the credentials do not allow it; asking again changes nothing.
 * - `refused`: the call itself is at fault.
 * - `elsewhere`: the node does not lead and has done nothing; the client goes to the one that does.
 * - `unsent`: no node could be found, so that nothing was sent.
 * - `unanswered`: anything else. It may have been carried out.
 */
export type Fault = 'moved' | 'missing' | 'nowhere' | 'denied' | 'refused' | 'elsewhere' | 'unsent' | 'unanswered'

const byType: Readonly<Partial<Record<ErrorType, Fault>>> = {
  [ErrorType.WRONG_EXPECTED_VERSION]: 'moved',
  [ErrorType.STREAM_NOT_FOUND]: 'missing',
  [ErrorType.ACCESS_DENIED]: 'denied',
  [ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED]: 'refused',
  [ErrorType.INVALID_ARGUMENT]: 'refused',
  [ErrorType.STREAM_DELETED]: 'refused',
  [ErrorType.NOT_LEADER]: 'elsewhere',
}

// gRPC status codes: an error may come raw, without a type.
const byCode: Readonly<Record<number, Fault>> = { 3: 'refused', 7: 'denied', 16: 'denied' }

/** What 23.10 and 24.10 say of a position at which no event begins. */
const NO_EVENT_THERE = /Unexpected (Filtered)?ReadAllResult: (Error|InvalidPosition)|read from an invalid position/

interface ClientError {
  readonly type?: ErrorType
  readonly code?: number
  readonly message: string
}

/**
 * Classifies by type and by code, never by class alone: while a node cannot be reached an error may come as gRPC gave it,
 * and some have no code. What is not known counts as unanswered.
 */
export const faultOf = (error: unknown): Fault => {
  if (!(error instanceof Error)) return 'unanswered'
  const { type, code, message } = convertToCommandError(error as never) as ClientError
  if (type === undefined && code === undefined && message.startsWith('Failed to discover')) return 'unsent'
  if (NO_EVENT_THERE.test(message)) return 'nowhere'
  return (type && byType[type]) ?? (code === undefined ? undefined : byCode[code]) ?? 'unanswered'
}

/** Whether the client that met with it is as good as new: the store has answered. */
export const isAnswer = (fault: Fault): boolean => fault !== 'unsent' && fault !== 'unanswered'

/** Whether asking again changes nothing. */
export const isFinal = (fault: Fault): boolean => isAnswer(fault) && fault !== 'elsewhere'
