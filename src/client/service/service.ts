import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Target } from './credentials.ts'
import { ClientFailure, EXIT, misused, refused } from './failure.ts'
import type { Limits } from './limits.ts'
import { type Output, say } from './output.ts'

/** Maximum bytes of an answer. A page of a list has at most a thousand objects. */
const ANSWER_MAX = 16 * 1024 * 1024
/** The longest `Retry-After` that is waited for, in seconds. */
const RETRY_AFTER_MAX = 60

export type Members = Readonly<Record<string, unknown>>

/** An answer of the service: an object, or the reason why it refuses. */
export interface Answer {
  readonly status: number
  readonly body: Members
  /** Unix milliseconds on the clock of the service, to a second. */
  readonly now: number
  /** When the reservation is released unless it is kept alive; undefined if the answer does not say so. */
  readonly keptUntil: number | undefined
}

export interface Asked {
  readonly body?: Members
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
}

/** Sends a request, and repeats it with the same key until it is answered. */
export interface Service {
  readonly get: (path: string, asked?: Asked) => Promise<Answer>
  readonly post: (path: string, asked?: Asked) => Promise<Answer>
}

/** What came back: an answer, or why there is none yet and how long to wait. */
type Tried = Answer | NoAnswer
interface NoAnswer {
  readonly why: string
  readonly retryMs: number
  /** Waiting is of no use unless Berth has answered before. */
  readonly isForeign?: true
}

const readText = async (response: Response): Promise<string> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
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

/** Proxies, and servers that are not Berth, answer with other things than objects and refusals with a code. */
const readAnswer = async (response: Response, retryMs: number): Promise<Tried> => {
  const { status, headers } = response
  const isRedirect = status >= 300 && status < 400
  // What is not read would keep this program running until it is sent.
  if (isRedirect) await response.body?.cancel()
  const body = isRedirect ? undefined : parseObject(await readText(response))
  const isRefusal = status >= 400 && typeof body?.code === 'string'
  const isPassing = status >= 500 || status === 429 || status === 408 || body?.code === 'idempotency_in_progress'
  if (isPassing) {
    const seconds = Number(headers.get('retry-after') ?? 0)
    const wait = seconds > 0 ? Math.min(seconds, RETRY_AFTER_MAX) * 1000 : retryMs
    return { why: isRefusal ? `${status} ${body.code}: ${body.detail}` : `its status is ${status}`, retryMs: wait }
  }
  if (body !== undefined && (status < 300 || isRefusal)) {
    const timeIn = (name: string): number | undefined => Date.parse(headers.get(name) ?? '') || undefined
    return { status, body, now: timeIn('date') ?? Date.now(), keptUntil: timeIn('keepalive-until') }
  }
  const location = headers.get('location')
  const moved = location === null ? '' : ` and it leads to ${location}`
  return { why: `what answers is not Berth; its status is ${status}${moved}`, retryMs, isForeign: true }
}

/** Codes of certificates whose authority is not known. Others are of a wrong name or date. */
const UNKNOWN_AUTHORITY = /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_.*|CERT_UNTRUSTED)$/

/** Why there was no answer. Node keeps the reason of the system in the cause, of several addresses without a message. */
const explainFailure = (error: unknown, retryMs: number): Tried => {
  const { message, cause = {} } = error as { message: string; cause?: { code?: string; message?: string } }
  const { code = '' } = cause
  const why = cause.message || code || message
  if (cause.message === 'bad port')
    throw misused('BERTH_URL has a port that HTTP clients refuse, because another protocol has it')
  if (UNKNOWN_AUTHORITY.test(code)) {
    const remedy = 'set NODE_EXTRA_CA_CERTS to a file with the certificate of its authority'
    return { why: `${why}; ${remedy}`, retryMs, isForeign: true }
  }
  return { why, retryMs, ...(code.includes('CERT') && { isForeign: true }) }
}

/** Calls back when a signal is aborted; the function returned ends that. */
const onAbort = (signal: AbortSignal | undefined, call: () => void): (() => void) => {
  if (signal?.aborted) call()
  signal?.addEventListener('abort', call)
  return () => signal?.removeEventListener('abort', call)
}

export const makeService = ({ url, authorization }: Target, limits: Limits, output: Output): Service => {
  /** Whether it was Berth that answered: then something else, such as the page of a proxy, passes. */
  let isKnown = false

  const attempt = async (path: string, init: RequestInit, asked: Asked): Promise<Tried> => {
    const { signal, wait = 0, answerMs = limits.answerMs } = asked
    const stop = new AbortController()
    const late = () => stop.abort(new Error(`no answer within ${answerMs / 1000 + wait} s`))
    const timer = setTimeout(late, answerMs + wait * 1000)
    const forget = onAbort(signal, () => stop.abort(signal?.reason))
    try {
      const response = await fetch(url + path, { ...init, redirect: 'manual', signal: stop.signal })
      return await readAnswer(response, limits.retryMs)
    } catch (error) {
      return explainFailure(error, limits.retryMs)
    } finally {
      clearTimeout(timer)
      forget()
    }
  }

  const request = async (method: 'GET' | 'POST', path: string, asked: Asked = {}): Promise<Answer> => {
    const { body, signal, giveUp = signal, outageMs = limits.outageMs } = asked
    const headers = {
      authorization,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      // A key of this request alone: a job that is run again must not go on with a machine that was given back.
      ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
    }
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const until = performance.now() + outageMs
    for (let tries = 1; ; tries += 1) {
      const tried = await attempt(path, init, asked)
      if ('body' in tried) {
        isKnown = true
        return tried
      }
      giveUp?.throwIfAborted()
      const { why, retryMs, isForeign } = tried
      const failed = `the service at ${url} cannot be reached: ${why}`
      if ((isForeign && !isKnown) || performance.now() + retryMs > until)
        throw new ClientFailure(EXIT.unreachable, failed)
      if (tries === 1) say(output, `${failed}; retrying`)
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
  throw new ClientFailure(EXIT.unreachable, 'the answer of the service has no id')
}
