import { lookup as resolveName } from 'node:dns/promises'
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { urlToHttpOptions } from 'node:url'
import type { DeliveryFailure } from '../../domain/events/webhook.ts'
import type { Milliseconds } from '../../domain/values/units.ts'
import type { IsAllowed } from './addresses.ts'

/** For an answer to begin. */
const TIMEOUT_MS = 15_000
/** Bytes of an answer that are read, and thrown away. */
const ANSWER_BYTES_MAX = 65_536
export const CONNECTIONS_MAX = 16

/** An answer with 2xx has no failure. */
export interface Sent {
  readonly failure?: DeliveryFailure
  readonly status?: number
  readonly milliseconds: Milliseconds
}

type Resolve = (hostname: string) => Promise<readonly { readonly address: string; readonly family: number }[]>

export interface SendOptions {
  readonly isAllowed: IsAllowed
  /** All addresses of a host; the system's by default. */
  readonly resolve?: Resolve
  readonly timeout?: Milliseconds
}

class ForbiddenAddress extends Error {}

class Late extends Error {
  readonly code = 'ETIMEDOUT'
}

class Closed extends Error {
  readonly code = 'ECONNRESET'
}

const CAUSES: Readonly<Record<string, DeliveryFailure['cause']>> = {
  ...{ ENOTFOUND: 'unknown_host', EAI_AGAIN: 'unknown_host', ECONNREFUSED: 'refused' },
  ...{ ECONNRESET: 'reset', EPIPE: 'reset', ETIMEDOUT: 'timed_out', EPROTO: 'tls' },
}

/** The cause in a word, because messages of errors name addresses. */
const causeOf = (error: NodeJS.ErrnoException): DeliveryFailure['cause'] => {
  if (error instanceof ForbiddenAddress) return 'forbidden_address'
  // Several addresses of a host failed.
  if (error instanceof AggregateError) return causeOf(error.errors[0])
  const { code = '' } = error
  if (code.startsWith('HPE_')) return 'not_http'
  // Those of OpenSSL that are about certificates have no prefix.
  if (/CERT|TLS|SSL|SIGNATURE|ISSUER/.test(code)) return 'tls'
  return CAUSES[code] ?? 'unreachable'
}

/** Reads what remains of an answer, so that its connection can be used again, up to a limit. */
const discard = (response: IncomingMessage): void => {
  let left = ANSWER_BYTES_MAX
  response.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) response.destroy()
  })
  response.on('error', () => undefined)
}

/**
 * Sends to one receiver, over connections that it keeps. Which address is connected to is decided here, so what a name
 * resolves to is judged at that moment and not before. Redirects are answers like any other.
 */
export const makeSend = (url: string, { isAllowed, timeout = TIMEOUT_MS, ...options }: SendOptions) => {
  const resolve: Resolve = options.resolve ?? ((name) => resolveName(name, { all: true }))
  const target = new URL(url)
  const isEncrypted = target.protocol === 'https:'
  const port = Number(target.port) || (isEncrypted ? 443 : 80)
  let isClosed = false
  const lookup: LookupFunction = (hostname, { all }, done) => {
    resolve(hostname)
      .then((found) => {
        if (isClosed) throw new Closed()
        const allowed = found.filter(({ address }) => isAllowed(address, port, isEncrypted))
        const [first] = allowed
        if (first === undefined) throw new ForbiddenAddress()
        if (all) done(null, [...allowed])
        else done(null, first.address, first.family)
      })
      .catch((error: NodeJS.ErrnoException) => done(error, []))
  }
  const kept = { keepAlive: true, maxSockets: CONNECTIONS_MAX, maxFreeSockets: CONNECTIONS_MAX, timeout }
  const agent = isEncrypted ? new HttpsAgent(kept) : new HttpAgent(kept)
  const request = isEncrypted ? requestHttps : requestHttp
  const fixed = { ...urlToHttpOptions(target), method: 'POST', agent, lookup }
  const literal = target.hostname.replace(/^\[|\]$/g, '')
  // Node looks up names only.
  const isForbidden = isIP(literal) !== 0 && !isAllowed(literal, port, isEncrypted)

  /** @param until in monotonic milliseconds */
  const post = (headers: Readonly<Record<string, string>>, body: string, until: Milliseconds): Promise<number> => {
    if (isClosed || isForbidden) return Promise.reject(isClosed ? new Closed() : new ForbiddenAddress())
    const { promise, resolve: answered, reject } = Promise.withResolvers<number>()
    const sending = request({ ...fixed, headers: { ...headers, 'Content-Length': Buffer.byteLength(body) } })
    const timer = setTimeout(() => sending.destroy(new Late()), until - performance.now())
    sending.on('close', () => clearTimeout(timer))
    sending.on('response', (response: IncomingMessage) => {
      answered(response.statusCode ?? 0)
      discard(response)
    })
    sending.on('error', (error: NodeJS.ErrnoException) => {
      // The receiver closed the kept connection while this was sent on it.
      const isStale = sending.reusedSocket && error.code === 'ECONNRESET'
      if (isStale) answered(post(headers, body, until))
      else reject(error)
    })
    // No receiver has reason to answer 101.
    sending.on('upgrade', (_, socket) => {
      socket.destroy()
      answered(101)
    })
    sending.end(body)
    return promise
  }

  return {
    send: async (headers: Readonly<Record<string, string>>, body: string): Promise<Sent> => {
      const began = performance.now()
      const took = (): Milliseconds => Math.round(performance.now() - began)
      try {
        const status = await post(headers, body, began + timeout)
        const isFine = status >= 200 && status < 300
        return { status, milliseconds: took(), ...(!isFine && { failure: { cause: 'status', status } }) }
      } catch (error) {
        return { milliseconds: took(), failure: { cause: causeOf(error as NodeJS.ErrnoException) } }
      }
    },
    /** Cuts what is under way. */
    close: (): void => {
      isClosed = true
      agent.destroy()
    },
  }
}
