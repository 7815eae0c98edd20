/** The interface of the service, as the page uses it. */

import type { components, paths } from './berth-api.d.ts'
import { fetchTimed } from './time.ts'

export type Schemas = components['schemas']

/** `/api/sut/{}` for the address of a machine, with or without parameters, and for the path in the document. */
type Shape<P extends string> = P extends `${infer Path}?${string}`
  ? Shape<Path>
  : P extends `${infer First}/${infer Rest}`
    ? `${Segment<First>}/${Shape<Rest>}`
    : Segment<P>
type Segment<S extends string> = string extends S ? '{}' : S extends `{${string}}` ? '{}' : S

type Operations<M extends 'get' | 'post'> = {
  [P in keyof paths as Shape<P>]: paths[P] extends Record<M, infer O> ? O : never
}
type Operation<M extends 'get' | 'post', P extends string> = Operations<M>[Shape<P> & keyof Operations<M>]

interface Json<A> {
  readonly content: { readonly 'application/json': A }
}
/** What the service answers at an address; unknown if the address is. */
export type AnswerAt<M extends 'get' | 'post', P extends string> =
  Operation<M, P> extends { readonly responses: { readonly 200: Json<infer A> } | { readonly 201: Json<infer A> } }
    ? A
    : unknown
export type BodyAt<P extends string> =
  Operation<'post', P> extends { readonly requestBody?: Json<infer A> } ? A : object

/** What a problem says. The page has codes of its own where nothing was answered. */
export type Problem = Omit<Partial<Schemas['Problem']>, 'code' | 'detail'> & {
  readonly code: string
  readonly detail: string
}

/** To people a SUT is a machine. */
const inWordsOfThePage = (detail: string): string => detail.replace(/^SUT/, 'Machine').replace(/\bSUT/g, 'machine')

/** Why a request was not done. Status 0: there was no answer. */
export class Refused extends Error {
  readonly status: number
  readonly problem: Problem
  /** Seconds after which the service invites another try; undefined if it does not. */
  readonly retryAfter: number | undefined
  constructor(status: number, problem: Problem, retryAfter?: number) {
    super(inWordsOfThePage(problem.detail))
    this.status = status
    this.problem = { ...problem, detail: this.message }
    this.retryAfter = retryAfter
  }
}

export interface Answer<A> {
  readonly value: A
  readonly etag: string | undefined
  /** The place in the log that the answer reflects. */
  readonly position: string | undefined
  /** When a reservation is released unless it is kept alive, in RFC 3339. */
  readonly keptUntil?: string | undefined
}

/** What became of a request: a value, or why there is none. */
export type Outcome<A> =
  | (A & { readonly refused?: undefined })
  | ({ readonly [member in keyof A]?: undefined } & { readonly refused: Refused })

/** The outcome of a read or a command. What is our own fault is told as well, and ends nothing else. */
export const outcomeOf = <A extends object>(read: Promise<A>): Promise<Outcome<A>> =>
  read.catch((error: unknown) => {
    const unforeseen = { code: 'unforeseen', detail: 'The answer could not be shown.' }
    return { refused: error instanceof Refused ? error : new Refused(0, unforeseen) } as Outcome<A>
  })

export interface Sent<B = unknown> {
  readonly body?: B | undefined
  /** Whether it is sent without the session: the answer to a wrong password would end that. */
  readonly isAnonymous?: boolean
  /** An `Idempotency-Key`: the request may be sent again with it and does nothing twice. */
  readonly key?: string | undefined
  readonly ifMatch?: string | undefined
  readonly reason?: string | undefined
  readonly after?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** The service answers any request within 20 s. */
const RESPONSE_TIMEOUT_MS = 30_000

/** Random, as `crypto.randomUUID` is missing where a page comes over plain HTTP. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

const unanswered = (): Refused => new Refused(0, { code: 'unanswered', detail: 'Berth is not responding.' })

const headersOf = (
  { body, key, ifMatch, reason, after }: Sent,
  session: string | undefined,
): Record<string, string> => ({
  ...(body !== undefined && { 'Content-Type': 'application/json' }),
  ...(session !== undefined && { Authorization: `Bearer ${session}` }),
  ...(key !== undefined && { 'Idempotency-Key': key }),
  ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
  ...(reason !== undefined && reason !== '' && { 'Berth-Reason': encodeURIComponent(reason.toWellFormed()) }),
  ...(after !== undefined && { 'Berth-After': after }),
})

export interface Api {
  /** Reads, and throws a refusal: a list is read in several requests. `outcomeOf` makes a value of it. */
  readonly get: <const P extends string>(
    path: P,
    sent?: Omit<Sent, 'body' | 'key'>,
  ) => Promise<Answer<AnswerAt<'get', P>>>
  readonly post: <const P extends string>(
    path: P,
    sent?: Sent<BodyAt<P>>,
  ) => Promise<Outcome<Answer<AnswerAt<'post', P>>>>
  /**
   * Posts a command until it is known what became of it, four times at most. Its key lives as long as that is not known:
   * the same command sent again does nothing twice then, and after an answer it is another command.
   */
  readonly send: Api['post']
  readonly file: (path: string, accept: string) => Promise<Outcome<{ readonly blob: Blob; readonly name: string }>>
  readonly open: (path: string, accept: string, signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>
}

export type Readable = Pick<Api, 'get'>

interface ApiOptions {
  readonly session: () => string | undefined
  readonly onUnauthenticated: (session: string) => void
  readonly onAnswer: (isAnswered: boolean) => void
  readonly retryDelaysMs?: readonly number[]
}

const RETRY_DELAYS_MS = [1_000, 2_000, 5_000]

/** A failure that is not Berth's own, such as a proxy's, says nothing of what became of a command either. */
const isUncertain = ({ refused }: Outcome<unknown>): boolean => {
  if (refused === undefined) return false
  const { status, problem } = refused
  return status === 0 || problem.code === 'outcome_unknown' || (status >= 500 && problem.code === 'unknown')
}

export const makeApi = ({ session, onUnauthenticated, onAnswer, retryDelaysMs = RETRY_DELAYS_MS }: ApiOptions): Api => {
  const request = async (method: string, path: string, sent: Sent, accept: string): Promise<Response> => {
    const { body, signal, isAnonymous } = sent
    const used = isAnonymous ? undefined : session()
    // The head of a stream has the time of Node, not of the service.
    const response = await (accept === 'text/event-stream' ? fetch : fetchTimed)(path, {
      method,
      headers: { Accept: accept, ...headersOf(sent, used) },
      credentials: 'omit',
      signal: signal ?? AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      if (signal?.aborted !== true) onAnswer(false)
      throw signal?.aborted === true ? error : unanswered()
    })
    onAnswer(true)
    if (response.ok) return response
    if (response.status === 401 && used !== undefined) onUnauthenticated(used)
    const problem = (await response.json().catch(() => ({}))) as Partial<Problem>
    const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN)
    const said = { ...problem, code: problem.code ?? 'unknown', detail: problem.detail ?? `Status ${response.status}.` }
    throw new Refused(response.status, said, Number.isFinite(seconds) ? seconds : undefined)
  }

  const call = async <A>(method: string, path: string, sent: Sent): Promise<Answer<A>> => {
    const response = await request(method, path, sent, 'application/json')
    const value = (await response.json().catch(() => {
      throw unanswered()
    })) as A
    return {
      value,
      etag: response.headers.get('ETag') ?? undefined,
      position: response.headers.get('Berth-Position') ?? undefined,
      keptUntil: response.headers.get('Keepalive-Until') ?? undefined,
    }
  }

  const download = async (path: string, accept: string): Promise<{ blob: Blob; name: string }> => {
    const response = await request('GET', path, {}, accept)
    const name = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1]
    const blob = await response.blob().catch(() => {
      throw unanswered()
    })
    return { blob, name: name ?? 'berth' }
  }

  const post: Api['post'] = (path, sent = {}) => outcomeOf(call<never>('POST', path, sent))

  /** The keys of commands of which it is not known what became of them. */
  const keys = new Map<string, string>()
  const send: Api['send'] = async (path, sent = {}) => {
    const command = JSON.stringify([path, sent])
    const { key = keys.get(command) ?? newKey() } = sent
    keys.set(command, key)
    for (const delays = [...retryDelaysMs]; ; ) {
      const outcome = await post(path, { ...sent, key })
      const delay = delays.shift()
      if (!isUncertain(outcome)) keys.delete(command)
      if (delay === undefined || !isUncertain(outcome)) return outcome
      await new Promise((resolve) => setTimeout(resolve, delay))
    }
  }

  return {
    ...{ send, post },
    get: (path, sent = {}) => call('GET', path, sent),
    file: (path, accept) => outcomeOf(download(path, accept)),
    open: async (path, accept, signal) => {
      const { body } = await request('GET', path, { signal }, accept)
      if (body === null) throw unanswered()
      return body
    },
  }
}
