import shared from '@eventstore/db-client/generated/shared_pb.js'
import grpcStatus from '@eventstore/db-client/generated/status_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { status } from '@grpc/grpc-js'
import any from 'google-protobuf/google/protobuf/any_pb.js'
import empty from 'google-protobuf/google/protobuf/empty_pb.js'
import { type Expected, NONE, type Outcome } from './append-rules.ts'
import type { Failure } from './wire.ts'

interface Message {
  serializeBinary(): Uint8Array
}

const packed = (message: Message, name: string): any.Any => {
  const details = new any.Any()
  details.pack(message.serializeBinary(), name)
  return details
}

const wrongVersion = (current: number, expected: Expected): shared.WrongExpectedVersion => {
  const wrong = new shared.WrongExpectedVersion()
  if (current === NONE) wrong.setCurrentNoStream(new empty.Empty())
  else wrong.setCurrentStreamRevision(String(current))
  if (expected === 'no_stream') wrong.setExpectedNoStream(new empty.Empty())
  else if (expected === 'stream_exists') wrong.setExpectedStreamExists(new empty.Empty())
  else if (expected === 'any') wrong.setExpectedAny(new empty.Empty())
  else wrong.setExpectedStreamPosition(String(expected))
  return wrong
}

/** For batch appends, the client recognizes errors only by their details. */
const detailsOf = ({ code, metadata }: Failure): any.Any => {
  const facts = metadata?.getMap() ?? {}
  if (facts.exception === 'maximum-append-size-exceeded') {
    const message = new shared.MaximumAppendSizeExceeded().setMaxappendsize(Number(facts['maximum-append-size']))
    return packed(message, 'event_store.client.MaximumAppendSizeExceeded')
  }
  if (code === status.PERMISSION_DENIED || code === status.UNAUTHENTICATED) {
    return packed(new shared.AccessDenied(), 'event_store.client.AccessDenied')
  }
  if (code === status.DEADLINE_EXCEEDED) return packed(new shared.Timeout(), 'event_store.client.Timeout')
  return packed(new empty.Empty(), 'google.protobuf.Empty')
}

export const batchFailure = (response: streams.BatchAppendResp, failure: Failure): streams.BatchAppendResp =>
  response.setError(
    new grpcStatus.Status().setCode(failure.code).setMessage(failure.details).setDetails(detailsOf(failure)),
  )

export const batchAnswer = (response: streams.BatchAppendResp, outcome: Outcome): streams.BatchAppendResp => {
  if (outcome.kind === 'wrong') {
    const wrong = wrongVersion(outcome.current, outcome.expected)
    const details = packed(wrong, 'event_store.client.WrongExpectedVersion')
    const error = new grpcStatus.Status()
      .setCode(status.FAILED_PRECONDITION as number)
      .setMessage('WrongExpectedVersion')
    return response.setError(error.setDetails(details))
  }
  const success = new streams.BatchAppendResp.Success()
  if (outcome.revision === NONE) success.setNoStream(new empty.Empty())
  else success.setCurrentRevision(String(outcome.revision))
  if (outcome.position === undefined) success.setNoPosition(new empty.Empty())
  else {
    const position = String(outcome.position)
    success.setPosition(new shared.AllStreamPosition().setCommitPosition(position).setPreparePosition(position))
  }
  return response.setSuccess(success)
}
