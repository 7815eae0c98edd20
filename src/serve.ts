import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { pino } from 'pino'
import type { Config } from './config.ts'
import { type Log, Misconfigured, type Service, startService } from './service.ts'
import { leavePassword } from './users/first-administrator.ts'
import { welcome } from './welcome.ts'

const urlOf = ({ host, port }: Service): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`

/**
 * Runs the service until a signal stops it.
 *
 * @returns the exit code: 0 after an orderly stop, 1 when it could not run on or another has the data, 2 when the
 *   configuration is wrong
 */
export const serve = async (config: Config): Promise<number> => {
  const log = pino({ level: config.logLevel, base: { pid: process.pid } }, pino.destination({ dest: 1, sync: true }))
  for (const warning of config.warnings) log.warn(warning)
  const ended = Promise.withResolvers<number>()
  // From the first moment on: a service that is stopped while it starts ends in order too.
  onStopSignal(log, () => ended.resolve(0))
  let service: Service
  try {
    service = await startService(config, {
      clock: Date.now,
      randomBytes,
      log,
      onFatal: (error) => {
        log.fatal({ err: error }, 'the service cannot go on')
        ended.resolve(1)
      },
    })
  } catch (error) {
    return whyNotStarted(error)
  }
  await introduce(config, service, (facts, sentence) => log.info(facts, sentence))
  const code = await ended.promise
  await service.stop()
  log.info('stopped')
  return code
}

/** Calls `stop` at the first signal; another one ends the process at once. */
const onStopSignal = (log: Log, stop: () => void): void => {
  let isStopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (isStopping) process.exit(1)
      isStopping = true
      log.info({ signal }, 'stopping: requests under way are answered, new ones are not taken')
      stop()
    })
  }
}

const introduce = async (
  config: Config,
  service: Service,
  info: (facts: object, sentence: string) => void,
): Promise<void> => {
  const first = service.firstAdministrator
  info({ url: urlOf(service), data: config.data, event_store: config.eventStore.path }, 'listening')
  if (first === undefined) return
  if (process.stdout.isTTY) {
    process.stdout.write(welcome(urlOf(service), first))
  } else if (first.password !== undefined) {
    const file = join(config.data, `first-password-${process.pid}.txt`)
    await leavePassword(file, first)
    info({ file }, `made the administrator ${first.name}; the password is in this file: read it and remove it`)
  }
}

/** The errors that say by themselves what is the matter. */
const UNUSABLE = ['LockTaken', 'UnusableLog', 'UnusableViews', 'UndecodableEvent', 'StoreUnavailable']

const whyNotStarted = (error: unknown): number => {
  const { code, message } = error as NodeJS.ErrnoException
  if (error instanceof Misconfigured) {
    for (const problem of error.problems) process.stderr.write(`berth: ${problem}\n`)
    return 2
  }
  if (UNUSABLE.includes((error as Error).name) || code !== undefined) {
    process.stderr.write(`berth: ${message}\n`)
    return 1
  }
  throw error
}
