import { randomBytes, randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { uptime } from 'node:os'
import { join } from 'node:path'
import { formatQuota } from '../domain/user/quota.ts'
import { requestLine } from '../http/response/request-summary.ts'
import { type LineWriter, makeLog, openLineWriter } from '../telemetry/log.ts'
import { makeProcessMetrics } from '../telemetry/process-metrics.ts'
import type { Config } from './config/config.ts'
import { nameOfStore } from './config/values.ts'
import type { FirstAdministrator } from './core/base.ts'
import { type Address, type Log, type Service, startService } from './service.ts'

/** Shown once at a terminal: the password and what to try. */
export const welcome = (url: string, { name, password }: FirstAdministrator): string => {
  const shown = password === undefined ? '(the one you set)' : `${password}      (shown this once)`
  return `
  Berth listens on ${url}

    user      ${name}
    password  ${shown}

  Try:  curl -u '${name}:${password ?? 'PASSWORD'}' ${url}/api/user/me
  Next: open ${url}/ in a browser and sign in; "Five minutes" in README.md leads on.

`
}

/** For a slow reader of the log at the end. */
const LOG_TIMEOUT_MS = 1_000

const urlOf = ({ tls }: Config, { host, port }: Address): string =>
  `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`

/**
 * Runs the service until a signal stops it.
 *
 * @returns the exit code: 0 after an orderly stop; 1 after a fatal error
 * @throws what keeps it from starting
 */
export const serve = async (config: Config): Promise<number> => {
  const lines = await openLog()
  const log = makeLog(config.logLevel, lines)
  const isRequestLogged = log.isLevelEnabled('info')
  for (const warning of config.warnings) log.warn(warning)
  const exitCode = Promise.withResolvers<number>()
  // Listen for signals first: a service stopped while it starts must end in order too.
  const stopping = new AbortController()
  onStopSignal(log, lines, () => {
    stopping.abort()
    exitCode.resolve(0)
  })
  let service: Service
  try {
    service = await startService(config, {
      clock: Date.now,
      // On Linux it is a file, which takes 10 us to read: nothing asks for it with every request.
      sinceBoot: () => Math.round(uptime() * 1_000),
      randomBytes,
      log,
      ...(isRequestLogged && {
        onAnswered: (answered) => lines.write(requestLine(answered, Date.now(), process.pid)),
      }),
      onFirstAdministrator: async (first, address) => {
        await lines.flush(LOG_TIMEOUT_MS)
        await showFirstPassword(config, address, first, log)
      },
      processMetrics: makeProcessMetrics(lines.lost),
      signal: stopping.signal,
      onFatal: (error) => {
        log.fatal({ err: error }, 'the service cannot continue')
        exitCode.resolve(1)
      },
    })
  } catch (error) {
    if (stopping.signal.aborted) return 0
    throw error
  }
  const { data, eventStore, quotaDefault } = config
  const facts = { url: urlOf(config, service), data, event_store: nameOfStore(eventStore) }
  log.info({ ...facts, quota_default: formatQuota(quotaDefault) }, 'listening')
  const code = await exitCode.promise
  await service.stop()
  log.info('stopped')
  await lines.flush(LOG_TIMEOUT_MS)
  return code
}

/** Log lines on standard output, which may fail or end without harm. They are flushed at every exit. */
const openLog = async (): Promise<LineWriter> => {
  // A listener also makes the pipe non-blocking: a full one would block the thread, which could then not end.
  process.stdout.on('error', () => undefined)
  const lines = openLineWriter(1)
  process.on('exit', lines.flushNow)
  if (!process.stdout.isTTY) return lines
  // Loaded on demand: elsewhere it would only delay the start.
  const { makePretty } = await import('../telemetry/pretty.ts')
  const pretty = makePretty(process.stdout.hasColors() && !process.env.NO_COLOR)
  return { ...lines, write: (line, isUrgent) => lines.write(pretty(line), isUrgent) }
}

/** Ends the process by a signal. `process.exit` waits for threads, and one may be waiting for a file. */
const endBy = (signal: NodeJS.Signals): never => {
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
  // The first process of a container gets no signal that it does not handle.
  process.exit(1)
}

/** Calls `stop` at the first signal; a second one ends the process at once. */
const onStopSignal = (log: Log, lines: LineWriter, stop: () => void): void => {
  let isStopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (isStopping) {
        lines.flushNow()
        endBy(signal)
      }
      isStopping = true
      log.info({ signal }, 'stopping: draining requests')
      stop()
    })
  }
}

/**
 * Leaves the first administrator's password in a new file, for a service without a terminal; it can be used as
 * BERTH_CREDENTIALS_FILE. The service runs, so another password can be set if that fails.
 */
export const leaveFirstPassword = async (
  data: string,
  { name, password }: FirstAdministrator,
  log: Log,
): Promise<void> => {
  // In a container every start has the same process id.
  const file = join(data, `first-password-${randomUUID()}.txt`)
  try {
    await writeFile(file, `${name}:${password}\n`, { mode: 0o600, flag: 'wx' })
    log.info({ name, file }, 'created the administrator; read the password from this file, then delete it')
  } catch (error) {
    const remedy = `berth user passwd ${name}`
    log.error({ err: error, name, remedy }, 'the password of the first administrator cannot be written; set another')
  }
}

/** Shows the first administrator's password once. */
const showFirstPassword = async (
  config: Config,
  address: Address,
  first: FirstAdministrator,
  log: Log,
): Promise<void> => {
  if (process.stdout.isTTY) process.stdout.write(welcome(urlOf(config, address), first))
  else if (first.password !== undefined) await leaveFirstPassword(config.data, first, log)
}
