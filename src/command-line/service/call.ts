import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { authorizationOf, readCredentials } from '../../client/service/credentials.ts'
import { ClientFailure } from '../../client/service/failure.ts'
import type { Config } from '../../config/config.ts'
import { NOT_LISTENING } from '../../control/ask-service.ts'
import { CONTROL_SOCKET, socketPathProblem } from '../../control/socket.ts'
import { listOf, matching, text } from '../../domain/codec/codec.ts'
import { CommandFailure, orFail } from '../terminal/command.ts'

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

const Refused = answer(
  { code: matching('code', /^[a-z_]{1,64}$/, 'must be a code'), detail: line },
  { errors: listOf(answer({ detail: line }, { pointer: line })) },
)
type Refused = t.TypeOf<typeof Refused>

/** The body of a refusal by a service; undefined for that of a proxy, or of a server that is not Berth. */
const readRefusal = (body: unknown): Refused | undefined => {
  const read = Refused.decode(body)
  return E.isRight(read) ? read.right : undefined
}

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

/** Where a request goes, and the path and the header that every request has. */
interface ServiceTarget extends Pick<RequestOptions, 'socketPath' | 'protocol' | 'hostname' | 'port'> {
  readonly base: string
  readonly authorization?: string
}

/** The service as messages name it. */
const serviceNameOf = ({ client, data }: Config): string => client?.url ?? data

/** The service at BERTH_URL, or the one that runs on BERTH_DATA. @throws CommandFailure | ClientFailure */
const findTarget = ({ client, data }: Config): ServiceTarget => {
  if (client === undefined) {
    const socketPath = join(data, CONTROL_SOCKET)
    const why = socketPathProblem(socketPath)
    if (why === undefined) return { socketPath, base: '' }
    throw new CommandFailure(
      `the service cannot be reached at ${socketPath}: ${why}; set BERTH_DATA to a short link to it`,
    )
  }
  const { credentials, url } = client
  const authorization = authorizationOf('token' in credentials ? credentials.token : readCredentials(credentials.file))
  const { protocol, hostname, port, pathname } = new URL(url)
  const base = pathname.replace(/\/$/, '')
  return { protocol, hostname: hostname.replace(/^\[|\]$/g, ''), port, base, authorization }
}

/** A check of a SUT takes 15 s at most. */
const RESPONSE_TIMEOUT_MS = 30_000
/** Maximum bytes of a response. A page of a list has at most a thousand objects. */
const RESPONSE_MAX = 16 * 1024 * 1024

/** A request for a route of the running service. */
export interface ServiceCall<A> {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** Decodes what a command reads of the answer: the service may be another than was meant, or another version. */
  readonly answer: t.Decoder<unknown, A>
  /** For an answer that is a text, which is decoded as such. */
  readonly accept?: 'text/plain' | 'application/x-ndjson'
  readonly body?: object
  readonly idempotencyKey?: string
}

/** Why a call failed, as a sentence. */
export interface CallFailure {
  /** `absent`: nothing took the request; `cut off`: it may have been handled; `refused`: it was answered. */
  readonly kind: 'absent' | 'cut off' | 'refused' | 'impossible'
  /** The code of a refusal. */
  readonly code?: string
  readonly why: string
  /** The problems that a refusal lists. */
  readonly errors?: Refused['errors']
}

/** Whether a request may have done what it asked for. What answers in place of a service may have passed it on. */
export const mayHaveActed = ({ kind, code }: CallFailure): boolean =>
  kind === 'refused' ? code === 'outcome_unknown' || code === 'idempotency_in_progress' : kind !== 'absent'

const fail = (failure: CallFailure): E.Either<CallFailure, never> => E.left(failure)

const readAll = async (response: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > RESPONSE_MAX) throw new Error('the response is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** The request did not leave as a whole, so nobody handles it. */
class Unsent extends Error {
  readonly code: string | undefined
  constructor(cause: NodeJS.ErrnoException) {
    super(cause.message, { cause })
    this.code = cause.code
  }
}

const send = (target: ServiceTarget, call: Omit<ServiceCall<unknown>, 'answer'>): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { base, authorization, ...place } = target
    const { method, path, accept = 'application/json', body, idempotencyKey } = call
    const options = {
      ...place,
      method,
      path: base + path,
      timeout: RESPONSE_TIMEOUT_MS,
      headers: {
        Accept: accept,
        ...(authorization !== undefined && { Authorization: authorization }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
      },
    }
    const sent = place.protocol === 'https:' ? requestHttps(options) : requestHttp(options)
    sent.on('response', resolve).on('error', (error) => reject(sent.writableFinished ? error : new Unsent(error)))
    sent.on('timeout', () => sent.destroy(new Error(`no response within ${RESPONSE_TIMEOUT_MS / 1000} s`)))
    sent.end(body && JSON.stringify(body))
  })

const describe = (config: Config, error: NodeJS.ErrnoException): CallFailure => {
  if (error instanceof CommandFailure || error instanceof ClientFailure) {
    return { kind: 'impossible', why: error.message }
  }
  const where = serviceNameOf(config)
  if (config.client === undefined && NOT_LISTENING.includes(error.code ?? '')) {
    return { kind: 'absent', why: `no service runs on ${where}; start it, or set BERTH_URL to reach another` }
  }
  // The messages of OpenSSL end with a line break.
  const kind = error instanceof Unsent && config.client !== undefined ? 'absent' : 'cut off'
  return { kind, why: `the service at ${where} cannot be reached: ${error.message.trimEnd()}` }
}

/** What a status and a body mean. Proxies, and servers that are not Berth, answer with other things. */
const readResponse = <A>(
  { answer, accept }: ServiceCall<A>,
  status: number,
  text: string,
  where: string,
): E.Either<CallFailure, A> => {
  const body = accept === undefined || status >= 300 ? parseJson(text) : text
  const refused = status < 300 ? undefined : readRefusal(body)
  if (refused !== undefined) {
    const { code, detail, errors } = refused
    // Variables that are left over from something else lead to another service, or ask as somebody else.
    const asked = status === 401 || status === 403 ? ` The service at ${where} was asked.` : ''
    return fail({ kind: 'refused', code, why: `${status} ${code}: ${detail}${asked}`, ...(errors && { errors }) })
  }
  if (status >= 300 || (accept === undefined && typeof body !== 'object')) {
    return fail({ kind: 'impossible', why: `what answers at ${where} is not Berth; its status is ${status}` })
  }
  return E.mapLeft((errors: t.Errors): CallFailure => {
    const why = `the answer of the service at ${where} cannot be read: ${describeProblem(errors)}`
    return { kind: 'impossible', why }
  })(answer.decode(body))
}

/**
 * Calls a route of the running service: over its socket as an administrator, or at BERTH_URL as the user of BERTH_TOKEN
 * or BERTH_CREDENTIALS_FILE.
 */
export const tryCall = async <A>(config: Config, call: ServiceCall<A>): Promise<E.Either<CallFailure, A>> => {
  try {
    const response = await send(findTarget(config), call)
    return readResponse(call, response.statusCode ?? 0, await readAll(response), serviceNameOf(config))
  } catch (error) {
    return E.left(describe(config, error as Error))
  }
}

/** The lines of a response, which may be endless, but no line. @throws when the response is cut off */
async function* linesOf(response: IncomingMessage): AsyncGenerator<string> {
  response.setEncoding('utf8')
  let rest = ''
  for await (const chunk of response as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > RESPONSE_MAX) throw new Error('a line of the response is too long')
    yield* lines.filter((line) => line !== '')
  }
  if (rest !== '') yield rest
}

/** Asks for a response that is read line by line. Its lines are not decoded. @throws CommandFailure */
export const callForLines = async (config: Config, path: string): Promise<AsyncGenerator<string>> => {
  const call = { method: 'GET', path, accept: 'application/x-ndjson', answer: unread } as const
  try {
    const response = await send(findTarget(config), call)
    if (response.statusCode === 200) return linesOf(response)
    orFail(readResponse(call, response.statusCode ?? 0, await readAll(response), serviceNameOf(config)))
  } catch (error) {
    throw new CommandFailure(describe(config, error as Error).why)
  }
  throw new CommandFailure('the service did not answer with lines')
}

/** As tryCall. @throws CommandFailure with a sentence that says why it failed or was refused */
export const callService = async <A>(config: Config, call: ServiceCall<A>): Promise<A> =>
  orFail(await tryCall(config, call))
