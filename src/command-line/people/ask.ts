import { uptime } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { type Config, LOG_LEVELS } from '../../config/config.ts'
import { LockTaken } from '../../files/lock.ts'
import type { Log } from '../../service/runtime.ts'
import { type CallFailure, mayHaveActed, type ServiceCall, tryCall } from '../service/call.ts'
import { randomHexOf, type Terminal } from '../terminal/command.ts'

/** How long to wait for a service that starts, or for another command on users. */
const WAIT_TIMEOUT_MS = 10_000
const RETRY_INTERVAL_MS = 100
const KEY_BYTES = 16

/** A request of a command, which adds an Idempotency-Key to a POST. */
export type Request<A> = Omit<ServiceCall<A>, 'idempotencyKey'>
/** @param within milliseconds in which a request that was not answered is sent again */
export type Ask = <A>(request: Request<A>, within?: number) => Promise<E.Either<CallFailure, A>>

/** Shows log lines as messages: standard output is for results. */
const makeLog = ({ logLevel }: Config, { stderr }: Terminal): Log => {
  const at =
    (level: Config['logLevel']) =>
    ({ err, alarm: _, ...facts }: { err?: unknown; alarm?: unknown }, sentence: string): void => {
      if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(logLevel)) return
      const values = Object.entries(facts).map(([name, value]) => `${name} ${value}`)
      const why = err instanceof Error ? [err.message] : []
      stderr(`berth: ${[sentence, ...values, ...why].join('; ')}\n`)
    }
  return { info: at('info'), warn: at('warn'), error: at('error') }
}

/** A service in this process for a lost password or the first user, opened when no other runs. */
const makeOwnService = (config: Config, terminal: Terminal, mayBegin: boolean) => {
  const failed = Promise.withResolvers<never>()
  // It is awaited only while something runs.
  failed.promise.catch(() => undefined)
  let close: (() => Promise<void>) | undefined
  return {
    failed: failed.promise,
    open: async (): Promise<void> => {
      const { openHeadless } = await import('../../service/headless.ts')
      const runtime = {
        clock: terminal.now,
        sinceBoot: () => uptime() * 1_000,
        randomBytes: terminal.randomBytes,
        log: makeLog(config, terminal),
        onFatal: failed.reject,
      }
      close = await openHeadless(config, runtime, { mustExist: !mayBegin })
    },
    close: () => close?.(),
  }
}

/** What another attempt with the same key can have another answer to. */
const isRepeatable = ({ kind, code }: CallFailure): boolean =>
  kind === 'cut off' || ['unavailable', 'outcome_unknown', 'idempotency_in_progress'].includes(code ?? '')

/** Whether it says of earlier attempts with the same key too that they did nothing. */
const isFinal = ({ kind, code }: CallFailure): boolean => kind === 'refused' && code !== 'unavailable'

/**
 * Asks the service at BERTH_URL or on the data directory. A request whose answer was lost is sent again with its key, so
 * that it acts once. At BERTH_URL nothing else is: that a service is not there is said at once.
 *
 * @param openOwn opens a service where none runs
 */
export const makeAsk = (config: Config, terminal: Terminal, openOwn?: () => Promise<void>): Ask => {
  const isElsewhere = config.client !== undefined
  const send = async <A>(call: ServiceCall<A>, within: number): Promise<E.Either<CallFailure, A>> => {
    let end = performance.now() + within
    /** The last failure of an attempt that may have been handled. */
    let lost: CallFailure | undefined
    for (;;) {
      const answered = await tryCall(config, call)
      if (E.isRight(answered)) return answered
      const { left: failure } = answered
      if (mayHaveActed(failure)) {
        // A slow answer that is lost in the end leaves time for another attempt too.
        if (lost === undefined) end = Math.max(end, performance.now() + within)
        lost = failure
      }
      const isLate = performance.now() >= end
      if (!isElsewhere && failure.kind === 'absent' && openOwn !== undefined) {
        try {
          await openOwn()
          continue
        } catch (error) {
          if (!(error instanceof LockTaken)) throw error
          const why = `${error.message}: a service that starts, or another command; try again when it is done`
          if (isLate) return E.left(lost ?? { kind: 'impossible', why })
        }
      } else {
        const isRepeated = isElsewhere
          ? lost !== undefined && (failure.kind === 'absent' || isRepeatable(failure))
          : isRepeatable(failure)
        if (!isRepeated || isLate) return E.left(isFinal(failure) ? failure : (lost ?? failure))
      }
      await delay(RETRY_INTERVAL_MS)
    }
  }
  return (request, within = terminal.waitMax ?? WAIT_TIMEOUT_MS) => {
    const call = request.method === 'POST' ? { ...request, idempotencyKey: randomHexOf(terminal)(KEY_BYTES) } : request
    return send(call, within)
  }
}

/**
 * Runs a command that asks. Where no service runs, one for these requests is opened in this process, and closed at the
 * end.
 *
 * @param mayBegin whether a log is begun where a networked store has none: a mistyped `streamPrefix` must not look like
 * a lab without users
 */
export const withOwnService = async (
  config: Config,
  terminal: Terminal,
  run: (ask: Ask) => Promise<void>,
  { mayBegin }: { readonly mayBegin: boolean },
): Promise<void> => {
  const own = makeOwnService(config, terminal, mayBegin)
  try {
    await Promise.race([run(makeAsk(config, terminal, own.open)), own.failed])
  } finally {
    await own.close()
  }
}
