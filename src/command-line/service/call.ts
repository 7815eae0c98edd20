import { readFile, stat } from 'node:fs/promises'
import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { NOT_LISTENING } from '../../control/ask.ts'
import { CONTROL_SOCKET, socketPathProblem } from '../../control/socket.ts'
import type { Config } from '../../service/config/config.ts'

/** Milliseconds. A check of a SUT takes 15 s at most. */
const TIMEOUT = 30_000
/** Maximum bytes of a response. A page of a list has at most a thousand objects. */
const RESPONSE_MAX = 16 * 1024 * 1024
/** Maximum bytes of the credentials file. */
const CREDENTIALS_MAX = 4_096
/** Permission bits of the group and of others. */
const OTHERS = 0o077

/** A request for a route of the running service. */
export interface Call {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: object
  readonly idempotencyKey?: string
}

export type Answer = Record<string, unknown>

/** Why a call failed, as a sentence. */
export interface CallFailure {
  /** `absent`: no service listens; `cut off`: it may have been received; `refused`: it was answered. */
  readonly kind: 'absent' | 'cut off' | 'refused' | 'impossible'
  /** The code of a refusal. */
  readonly code?: string
  readonly why: string
  /** The problems that a refusal lists. */
  readonly errors?: readonly { readonly pointer?: string; readonly detail: string }[]
}

const fail = (failure: CallFailure): E.Either<CallFailure, never> => E.left(failure)

type Target = Pick<RequestOptions, 'socketPath' | 'protocol' | 'hostname' | 'port' | 'auth'> & { readonly base: string }

/** Name and password from a file that only its owner may read. Left names the file, never its content. */
const readCredentials = async (path: string): Promise<E.Either<string, string>> => {
  try {
    const { mode, size } = await stat(path)
    if ((mode & OTHERS) !== 0) return E.left(`${path} can be read by others; run: chmod 600 ${path}`)
    const text = size > CREDENTIALS_MAX ? '' : (await readFile(path, 'utf8')).replace(/\r?\n$/, '')
    return /^[^:\r\n]+:[^\r\n]+$/.test(text)
      ? E.right(text)
      : E.left(`${path} must hold one line with a name, a colon and a password`)
  } catch (error) {
    return E.left(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}

/** The service at BERTH_URL, or the one that runs on BERTH_DATA. */
const findTarget = async ({ client, data }: Config): Promise<E.Either<string, Target>> => {
  if (client === undefined) {
    const socketPath = join(data, CONTROL_SOCKET)
    const why = socketPathProblem(socketPath)
    return why === undefined
      ? E.right({ socketPath, base: '' })
      : E.left(`the service cannot be reached at ${socketPath}: ${why}; set BERTH_DATA to a short link to it`)
  }
  const credentials = await readCredentials(client.credentialsFile)
  if (E.isLeft(credentials)) return credentials
  const { protocol, hostname, port, pathname } = new URL(client.url)
  const base = pathname.replace(/\/$/, '')
  return E.right({ protocol, hostname: hostname.replace(/^\[|\]$/g, ''), port, auth: credentials.right, base })
}

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

const send = ({ base, ...target }: Target, { method, path, body, idempotencyKey }: Call): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const options = {
      ...target,
      method,
      path: base + path,
      timeout: TIMEOUT,
      headers: {
        Accept: 'application/json',
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
      },
    }
    const sent = target.protocol === 'https:' ? requestHttps(options) : requestHttp(options)
    sent.on('response', resolve).on('error', reject)
    sent.on('timeout', () => sent.destroy(new Error(`no response within ${TIMEOUT / 1000} s`)))
    sent.end(body && JSON.stringify(body))
  })

const placeOf = ({ client, data }: Config): string => client?.url ?? data

const describe = (config: Config, error: NodeJS.ErrnoException): CallFailure => {
  const where = placeOf(config)
  if (config.client === undefined && NOT_LISTENING.includes(error.code ?? '')) {
    return { kind: 'absent', why: `no service runs on ${where}; set BERTH_URL to reach another` }
  }
  // The messages of OpenSSL end with a line break.
  return { kind: 'cut off', why: `the service at ${where} cannot be reached: ${error.message.trimEnd()}` }
}

/** What the service answered. Proxies, and servers that are not Berth, answer with other things. */
const readAnswer = (text: string): Answer | undefined => {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? (body as Answer) : undefined
  } catch {
    return undefined
  }
}

/**
 * Calls a route of the running service: over its socket as an administrator, or at BERTH_URL as the user of
 * BERTH_CREDENTIALS_FILE.
 */
export const tryCall = async (config: Config, call: Call): Promise<E.Either<CallFailure, Answer>> => {
  const target = await findTarget(config)
  if (E.isLeft(target)) return fail({ kind: 'impossible', why: target.left })
  try {
    const response = await send(target.right, call)
    const { statusCode = 0 } = response
    const body = readAnswer(await readAll(response))
    if (body !== undefined && statusCode < 300) return E.right(body)
    if (typeof body?.code === 'string') {
      const { code, detail, errors } = body as { code: string; detail: string } & Pick<CallFailure, 'errors'>
      return fail({ kind: 'refused', code, why: `${statusCode} ${code}: ${detail}`, ...(errors && { errors }) })
    }
    const why = `what answers at ${placeOf(config)} is not Berth; its status is ${statusCode}`
    return fail({ kind: 'impossible', why })
  } catch (error) {
    return E.left(describe(config, error as Error))
  }
}

/** The same. Left is a sentence that says why it failed or was refused. */
export const callService = async (config: Config, call: Call): Promise<E.Either<string, Answer>> =>
  E.mapLeft(({ why }: CallFailure) => why)(await tryCall(config, call))
