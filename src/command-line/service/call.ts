import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import type { Config } from '../../app/config/config.ts'
import { CONTROL_SOCKET, socketPathProblem } from '../../app/control-socket.ts'
import { readTarget, type Target } from '../../client/service/credentials.ts'
import { exchange, linesOf, readText } from '../../client/service/exchange.ts'
import { ClientFailure, Unanswered } from '../../client/service/failure.ts'
import { LIMITS } from '../../client/service/limits.ts'
import {
  type Answer,
  type CallOptions,
  describeNoAnswer,
  explainFailure,
  makeService,
} from '../../client/service/service.ts'
import { listOf, text } from '../../domain/codec/codec.ts'
import { CommandFailure, orFail, type Terminal } from '../terminal/command.ts'

/**
 * A JSON object with at least these members. A newer service may add others, which `--json` shows. Arrays and objects
 * in it come from another machine: each member that a command reads has a codec.
 */
export const answer = <R extends t.Props, O extends t.Props>(required: R, optional: O) =>
  t.intersection([t.type(required), t.partial(optional)])

/** Text of one line, as ids, names and sentences are. */
export const line = text(0, 16_384)

/** A text of several lines. */
export const multiline = text(0, 1_000_000, { lines: true })

/** An answer that no command reads. */
export const unread = t.UnknownRecord

const Refused = answer({ code: line, detail: line }, { errors: listOf(answer({ detail: line }, { pointer: line })) })
type Refused = t.TypeOf<typeof Refused>

/** The JSON of a body; undefined if it is none. */
export const parseJson = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** The first problem of an answer, without its value. Parts of an intersection are not places in it. */
export const describeProblem = (errors: t.Errors): string => {
  const { context = [], message = 'is not what was expected' } = errors[0] ?? {}
  const path = context.filter((entry, n) => n > 0 && entry.actual !== context[n - 1]?.actual).map(({ key }) => key)
  return path.length === 0 ? `the answer ${message}` : `"${path.join('.')}" ${message}`
}

/** The service at BERTH_URL, or the one that runs on BERTH_DATA. @throws CommandFailure | ClientFailure */
export const targetOf = ({ client, data }: Pick<Config, 'client' | 'data'>): Target => {
  if (client !== undefined) return readTarget(client)
  const socketPath = join(data, CONTROL_SOCKET)
  const why = socketPathProblem(socketPath)
  if (why === undefined) return { url: 'http://localhost', socketPath }
  throw new CommandFailure(
    `the service cannot be reached at ${socketPath}: ${why}; set BERTH_DATA to a short link to it`,
  )
}

/** A request for a route of the running service. */
export interface ServiceCall<A> extends Pick<CallOptions, 'accept' | 'body' | 'headers' | 'idempotencyKey'> {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** Decodes what a command reads of the answer: the service may be another than was meant, or another version. */
  readonly answer: t.Decoder<unknown, A>
}

/** Why a call failed, as a sentence. */
export interface CallFailure {
  /** The code of a refusal. */
  readonly code?: string
  readonly why: string
  /** The problems that a refusal lists. */
  readonly errors?: Refused['errors']
  /** Whether the request may have done what it asked for. What answers in place of a service may have passed it on. */
  readonly mayHaveActed: boolean
}

/** How long a request whose answer was lost is sent again. That a service is not there is said at once. */
const OUTAGE_MS = 10_000
const OWN_LIMITS = { ...LIMITS, outageMs: OUTAGE_MS, absentMs: 0, retryMs: 100, isPatient: false }

const nameOf = ({ url, socketPath }: Target): string => socketPath ?? url

/** What an answer means. */
const readAnswer = <A>(
  { answer }: Pick<ServiceCall<A>, 'answer'>,
  { status, body, text }: Pick<Answer, 'status' | 'body' | 'text'>,
  accept: unknown,
  name: string,
) => {
  if (status >= 300) {
    const refused = Refused.decode(body)
    if (E.isLeft(refused)) {
      const why = `what answers at ${name} is not Berth; its status is ${status}`
      return E.left<CallFailure>({ why, mayHaveActed: true })
    }
    const { code, detail, errors } = refused.right
    // Variables that are left over from something else lead to another service, or ask as somebody else.
    const asked = status === 401 || status === 403 ? ` The service at ${name} was asked.` : ''
    const why = `${status} ${code}: ${detail}${asked}`
    return E.left<CallFailure>({ code, why, ...(errors && { errors }), mayHaveActed: false })
  }
  const unreadable = (errors: t.Errors): CallFailure => ({
    why: `the answer of the service at ${name} cannot be read: ${describeProblem(errors)}`,
    mayHaveActed: true,
  })
  return E.mapLeft(unreadable)(answer.decode(accept === undefined ? body : text))
}

/** The sentences of a failed call. */
const explain = ({ why, mayHaveActed }: CallFailure, method: 'GET' | 'POST'): readonly string[] =>
  mayHaveActed && method === 'POST' ? [why, 'it is not known whether the service did what was asked'] : [why]

/**
 * Calls routes of the running service: over its socket as an administrator, or at BERTH_URL as the user of BERTH_TOKEN
 * or BERTH_CREDENTIALS_FILE. A request whose answer was lost is sent again with its key, so that it acts once.
 */
export const makeCalls = (
  config: Pick<Config, 'client' | 'data'>,
  { waitMax: outageMs = OUTAGE_MS }: Pick<Terminal, 'waitMax'>,
) => {
  const tryCall = async <A>(call: ServiceCall<A>): Promise<E.Either<CallFailure, A>> => {
    const { method, path, answer: _, ...asked } = call
    try {
      const target = targetOf(config)
      const service = makeService(target, OWN_LIMITS, { stdout: () => undefined, stderr: () => undefined })
      const send = method === 'GET' ? service.get : service.post
      return readAnswer(call, await send(path, { outageMs, ...asked }), call.accept, nameOf(target))
    } catch (error) {
      if (error instanceof Unanswered) {
        const { message, mayHaveActed, code } = error
        return E.left({ why: message, mayHaveActed, ...(code !== undefined && { code }) })
      }
      if (error instanceof CommandFailure || error instanceof ClientFailure)
        return E.left({ why: error.message, mayHaveActed: false })
      throw error
    }
  }
  return {
    tryCall,
    /** As tryCall. @throws CommandFailure with a sentence that says why it failed or was refused */
    call: async <A>(call: ServiceCall<A>): Promise<A> =>
      orFail(E.mapLeft((failure: CallFailure) => explain(failure, call.method))(await tryCall(call))),
    /** Asks for a response that is read line by line. Its lines are not decoded. @throws CommandFailure */
    lines: async (path: string): Promise<AsyncGenerator<string>> => {
      const target = targetOf(config)
      const response = await exchange(target, { method: 'GET', path, accept: 'application/x-ndjson' }).catch(
        (error) => {
          throw new CommandFailure(describeNoAnswer(target, explainFailure(error)))
        },
      )
      const { statusCode: status = 0 } = response
      if (status === 200) return linesOf(response)
      const body = (parseJson(await readText(response)) ?? {}) as Answer['body']
      const refused = readAnswer({ answer: unread }, { status, body, text: '' }, undefined, nameOf(target))
      throw new CommandFailure(E.isLeft(refused) ? refused.left.why : 'the service did not answer with lines')
    },
  }
}

export type Calls = ReturnType<typeof makeCalls>
