import { setImmediate } from 'node:timers/promises'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import type { IStreamsServer } from '@eventstore/db-client/generated/streams_grpc_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { status } from '@grpc/grpc-js'
import { type Expected, type Log, NONE, type Outcome, type Proposed } from './log.ts'
import type { SwitchState } from './switches.ts'
import { asError, expectedOf, type Failure, failure, nameOf } from './wire.ts'

interface AppendParts {
  readonly log: Log
  readonly switches: SwitchState
}

/** Maximum size of an append, in bytes. */
const APPEND_MAX = 1024 * 1024

const EMPTY = new shared.Empty()

const sizeOf = ({ type, data, metadata }: Proposed): number => type.length * 2 + data.length + metadata.length

const TOO_LARGE = failure(status.INVALID_ARGUMENT, `Maximum Append Size of ${APPEND_MAX} Exceeded.`, {
  exception: 'maximum-append-size-exceeded',
  'maximum-append-size': String(APPEND_MAX),
})

const DEFAULT_FAILURE = failure(status.UNAVAILABLE, 'The server went away')

const carryOut = (
  { log, switches }: AppendParts,
  stream: string,
  expected: Expected,
  events: readonly Proposed[],
): Outcome | Failure | 'silent' => {
  const fault = switches.faultOf({ stream, types: events.map(({ type }) => type) })
  if (fault?.how === 'refused') return fault.failure ?? DEFAULT_FAILURE
  if (fault?.how === 'silent') return 'silent'
  if (events.reduce((sum, event) => sum + sizeOf(event), 0) > APPEND_MAX) return TOO_LARGE
  const outcome = log.append(stream, expected, events)
  if (fault === undefined) return outcome
  return fault.how === 'lost' ? (fault.failure ?? DEFAULT_FAILURE) : 'silent'
}

const proposedOf = (message: streams.AppendReq.ProposedMessage): Proposed => ({
  id: message.getId()?.getString() ?? '',
  type: message.getMetadataMap().get('type') ?? '',
  data: message.getData_asU8(),
  metadata: message.getCustomMetadata_asU8(),
})

const wrongVersion = (current: number, expected: Expected): streams.AppendResp.WrongExpectedVersion => {
  const wrong = new streams.AppendResp.WrongExpectedVersion()
  if (current === NONE) wrong.setCurrentNoStream(EMPTY)
  else wrong.setCurrentRevision(String(current))
  if (expected === 'no_stream') wrong.setExpectedNoStream(EMPTY)
  else if (expected === 'any') wrong.setExpectedAny(EMPTY)
  else wrong.setExpectedRevision(String(expected))
  return wrong
}

const appendAnswer = (outcome: Outcome): streams.AppendResp => {
  if (outcome.kind === 'wrong') {
    return new streams.AppendResp().setWrongExpectedVersion(wrongVersion(outcome.current, outcome.expected))
  }
  const success = new streams.AppendResp.Success()
  if (outcome.revision === NONE) success.setNoStream(EMPTY)
  else success.setCurrentRevision(String(outcome.revision))
  if (outcome.position === undefined) success.setNoPosition(EMPTY)
  else {
    const position = String(outcome.position)
    success.setPosition(new streams.AppendResp.Position().setCommitPosition(position).setPreparePosition(position))
  }
  return new streams.AppendResp().setSuccess(success)
}

export const makeAppend =
  (parts: AppendParts): IStreamsServer['append'] =>
  (call, answer) => {
    const messages: streams.AppendReq[] = []
    call.on('data', (message: streams.AppendReq) => messages.push(message))
    call.on('error', () => undefined)
    call.on('end', async () => {
      // A call cancelled midway also emits `end`; it is marked as cancelled one turn later.
      await setImmediate()
      if (call.cancelled) return
      const refused = await parts.switches.admit('append', call.metadata)
      if (refused !== undefined) return answer(asError(refused))
      const options = messages[0]?.getOptions() ?? new streams.AppendReq.Options()
      const events = messages.flatMap((message) => message.getProposedMessage() ?? []).map(proposedOf)
      const ending = carryOut(parts, nameOf(options.getStreamIdentifier()), expectedOf(options), events)
      if (ending === 'silent') return
      if ('code' in ending) answer(asError(ending))
      else answer(null, appendAnswer(ending))
    })
  }

/** Real nodes have it, but it shares one gRPC stream between all appends of a process: nothing may use it. */
export const refuseBatchAppend: IStreamsServer['batchAppend'] = (call) => {
  call.on('error', () => undefined)
  call.emit('error', asError(failure(status.UNIMPLEMENTED, 'batch appends are not part of this server')))
}

export const makeDelete =
  ({ log, switches }: AppendParts): IStreamsServer['delete'] =>
  async (call, answer) => {
    const refused = await switches.admit('delete', call.metadata)
    if (refused !== undefined) return answer(asError(refused))
    const options = call.request.getOptions() ?? new streams.DeleteReq.Options()
    const stream = nameOf(options.getStreamIdentifier())
    const outcome = log.remove(stream, expectedOf(options))
    if (outcome.kind === 'success') {
      const at = String(outcome.position)
      const position = new streams.DeleteResp.Position().setCommitPosition(at).setPreparePosition(at)
      return answer(null, new streams.DeleteResp().setPosition(position))
    }
    const versions = { 'expected-version': String(outcome.expected), 'actual-version': String(outcome.current) }
    const facts = { exception: 'wrong-expected-version', 'stream-name': stream, ...versions }
    answer(asError(failure(status.FAILED_PRECONDITION, 'Wrong expected version', facts)))
  }
