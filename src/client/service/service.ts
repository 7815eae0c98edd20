import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Target } from './credentials.ts'
import type { Limits } from './limits.ts'
import { ClientFailure, EXIT, type Output, refused, say, unreachable } from './output.ts'

/** Maximum bytes of an answer. A page of a list has at most a thousand objects. */
const ANSWER_MAX = 16 * 1024 * 1024
/** The longest `Retry-After` that is waited for, in seconds. */
const RETRY_AFTER_MAX = 60

export type Members = Readonly<Record<string, unknown>>

/** An answer of the service: an object, or the reason why it refuses. */
export interface Answer {
  readonly status: number
  readonly body: Members
  /** The answer as it came, for one that is a text. */
  readonly text: string
  /** Unix milliseconds on the clock of the service, to a second. */
  readonly now: number
  /** When the reservation is released unless it is kept alive; undefined if the answer does not say so. */
  readonly keptUntil: number | undefined
}

export interface CallOptions {
  readonly body?: object
  /** Ends the request at once. */
  readonly signal?: AbortSignal
  /** Ends repetitions only: a request that is under way may have been recorded already. */
  readonly giveUp?: AbortSignal
  /** How long it is repeated while the service cannot be reached or is not ready. */
  readonly outageMs?: number
  /** Seconds that the service may take for its answer. */
  readonly wait?: number
  /** Time for an answer beyond that, where it must be shorter than usual. */
  readonly answerMs?: number
  /** The media type of an answer that is a text. */
  readonly accept?: 'text/plain' | 'text/csv' | 'application/x-ndjson'
  /** For a request that another run of the program may repeat. */
  readonly idempotencyKey?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a request, and repeats it with the same key until it is answered. */
export interface RemoteService {
  readonly get: (path: string, asked?: CallOptions) => Promise<Answer>
  readonly post: (path: string, asked?: CallOptions) => Promise<Answer>
}

/** Why there is no answer yet, and how long to wait for one. */
interface NoAnswer {
  readonly why: string
  readonly retryMs?: number
  /** Whether nobody has the request: not even what may be on the way to the service. */
  readonly isUnsent?: boolean
  /** Waiting is of no use unless Berth has answered before. */
  readonly isForeign?: boolean
  /** The code of a refusal that passes. */
  readonly code?: string
}

/** The text of an answer. @throws when it is cut off, or is longer than any answer of Berth */
const readText = async (response: IncomingMessage): Promise<string> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > ANSWER_MAX) throw new Error('the answer is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

const parseObject = (text: string): Members | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : undefined
  } catch {
    return undefined
  }
}

/** Refusals of a request that may have another answer to the same key, or to none. */
const UNCERTAIN = ['unavailable', 'outcome_unknown', 'idempotency_in_progress']

/** Whether a request is sent again after this answer. */
const isPassing = (status: number, code: unknown, { isPatient }: Limits): boolean => {
  if (UNCERTAIN.includes(String(code))) return true
  return (status >= 500 || status === 429 || status === 408) && (isPatient || typeof code !== 'string')
}

/** Proxies, and servers that are not Berth, answer with other things than objects and refusals with a code. */
const readAnswer = async (
  response: IncomingMessage,
  { accept }: CallOptions,
  limits: Limits,
): Promise<Answer | NoAnswer> => {
  const { statusCode: status = 0, headers } = response
  const isRedirect = status >= 300 && status < 400
  // What is not read would keep this program running until it is sent.
  if (isRedirect) response.destroy()
  const text = isRedirect ? '' : await readText(response)
  const body = accept !== undefined && status < 300 ? {} : parseObject(text)
  const code = status >= 400 && typeof body?.code === 'string' ? body.code : undefined
  if (isPassing(status, code, limits)) {
    const seconds = Number(headers['retry-after'] ?? 0)
    const pause = seconds > 0 && { retryMs: Math.min(seconds, RETRY_AFTER_MAX) * 1000 }
    if (code === undefined) return { why: `its status is ${status}`, ...pause }
    return { why: `${status} ${code}: ${body?.detail}`, code, ...pause }
  }
  if (body !== undefined && (status < 300 || code !== undefined)) {
    const timeIn = (header: string | readonly string[] = ''): number | undefined =>
      Date.parse(String(header)) || undefined
    const keptUntil = timeIn(headers['keepalive-until'])
    return { status, body, text, now: timeIn(headers.date) ?? Date.now(), keptUntil }
  }
  const { location } = headers
  const moved = location === undefined ? '' : ` and it leads to ${location}`
  return { why: `what answers is not Berth; its status is ${status}${moved}`, isForeign: true }
}

/** Codes of certificates whose authority is not known. Others are of a wrong name or date. */
const UNKNOWN_AUTHORITY = /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_.*|CERT_UNTRUSTED)$/

/** Why there was no answer. Node has no message for several addresses, and OpenSSL ends its own with a line break. */
const explainFailure = (error: unknown): NoAnswer => {
  const { message, code = '', isUnsent = false } = error as NodeJS.ErrnoException & { isUnsent?: boolean }
  const isUnknown = UNKNOWN_AUTHORITY.test(code)
  const remedy = isUnknown ? '; set NODE_EXTRA_CA_CERTS to a file with the certificate of its authority' : ''
  return { why: `${message.trimEnd() || code}${remedy}`, isUnsent, isForeign: isUnknown || code.includes('CERT') }
}

/** Sends a request, and resolves to the beginning of its answer. A signal ends it, also while that is read. */
const send = (
  { url, socketPath, authorization }: Target,
  path: string,
  { headers, body, ...options }: RequestOptions & { readonly body: object | undefined },
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const all = {
      ...headers,
      ...(authorization !== undefined && { authorization }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const sent = (url.startsWith('https:') ? requestHttps : requestHttp)(url + path, {
      ...{ ...options, headers: all },
      ...(socketPath !== undefined && { socketPath }),
    })
    sent.on('response', resolve)
    // One that did not leave as a whole, nobody handles.
    sent.on('error', (error) => reject(Object.assign(error, { isUnsent: !sent.writableFinished })))
    sent.end(body && JSON.stringify(body))
  })

export const makeService = (target: Target, limits: Limits, output: Output): RemoteService => {
  const { url, socketPath } = target
  /** Whether it was Berth that answered: then something else, such as the page of a proxy, passes. */
  let isKnown = false

  const attempt = async (
    path: string,
    { signal, wait = 0, answerMs = limits.answerMs, ...asked }: CallOptions,
    request: Pick<RequestOptions, 'method' | 'headers'>,
  ): Promise<Answer | NoAnswer> => {
    const milliseconds = answerMs + wait * 1000
    const late = AbortSignal.timeout(milliseconds)
    try {
      const stop = signal === undefined ? late : AbortSignal.any([signal, late])
      return await readAnswer(await send(target, path, { ...request, body: asked.body, signal: stop }), asked, limits)
    } catch (error) {
      return { ...explainFailure(error), ...(late.aborted && { why: `no answer within ${milliseconds / 1000} s` }) }
    }
  }

  /** Why a request is not answered, as a sentence. What the service itself says needs no more. */
  const describe = ({ why, code, isUnsent }: NoAnswer): string => {
    if (code !== undefined) return why
    if (socketPath !== undefined && isUnsent && /ENOENT|ECONNREFUSED/.test(why))
      return `no service runs on ${dirname(socketPath)}; start it, or set BERTH_URL to reach another`
    return `the service at ${socketPath ?? url} cannot be reached: ${why}`
  }

  const request = async (method: 'GET' | 'POST', path: string, asked: CallOptions = {}): Promise<Answer> => {
    const { signal, giveUp = signal, outageMs = limits.outageMs, idempotencyKey = randomUUID() } = asked
    const { accept = 'application/json' } = asked
    // A key of this request alone: a job that is run again must not go on with a machine that was given back.
    const headers = { accept, ...asked.headers, ...(method === 'POST' && { 'idempotency-key': idempotencyKey }) }
    let until = performance.now() + outageMs
    let [isTaken, mayHaveActed] = [false, false]
    for (let tries = 1; ; tries += 1) {
      const tried = await attempt(path, asked, { method, headers })
      if ('body' in tried) {
        isKnown = true
        return tried
      }
      giveUp?.throwIfAborted()
      const { code, retryMs = limits.retryMs, isUnsent, isForeign } = tried
      // From now on: a slow answer that is lost in the end leaves time for another attempt too.
      if (!isUnsent && !isTaken && !limits.isPatient) until = performance.now() + outageMs
      isTaken ||= !isUnsent
      mayHaveActed ||= method === 'POST' && !isUnsent && code !== 'unavailable'
      const isInVain = (isForeign && !isKnown) || !(isTaken || limits.isPatient)
      if (isInVain || performance.now() + retryMs > until)
        throw new ClientFailure(EXIT.unreachable, describe(tried), mayHaveActed)
      if (tries === 1) say(output, `${describe(tried)}; retrying`)
      await delay(retryMs, undefined, giveUp && { signal: giveUp })
    }
  }
  return { get: (path, asked) => request('GET', path, asked), post: (path, asked) => request('POST', path, asked) }
}

export const refusalOf = ({ status, body: { code, detail } }: Answer): ClientFailure =>
  refused(`${status} ${code}: ${detail}`)

/** The object of an answer. @throws the refusal */
export const acceptedBody = (answer: Answer): Members => {
  if (answer.status >= 300) throw refusalOf(answer)
  return answer.body
}

/** An id as the service makes them, which becomes a part of paths. */
export const idOf = (value: unknown): string => {
  if (typeof value === 'string' && /^[0-9a-f]{24}$/.test(value)) return value
  throw unreachable('the answer of the service has no id')
}
