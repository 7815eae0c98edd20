import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { runCommandLine } from './command-line/run.ts'
import { MISUSED, REFUSED, type Terminal } from './command-line/terminal/command.ts'
import { printable } from './command-line/terminal/printable.ts'
import './service/node-settings.ts'

const readStdin = async (): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks)
}

/** Where a terminal does not report its width. */
const COLUMNS = 80

const terminal: Terminal = {
  now: Date.now,
  randomBytes,
  stdin: readStdin,
  stdout: (text) => process.stdout.write(text),
  send: (text) =>
    new Promise((resolve) => {
      process.stdout.write(text, (error) => resolve(error == null ? undefined : (error as NodeJS.ErrnoException).code))
    }),
  stderr: (text) => process.stderr.write(text),
  redraw: (text) => process.stderr.write(`\r${text}\u001b[K`),
  columns: process.stdout.isTTY ? process.stdout.columns || COLUMNS : undefined,
  isWatched: process.stderr.isTTY ?? false,
}

/** The user's mistakes: a wrong configuration, wrong paths, and files that are not Berth's. */
const USER_ERRORS = ['Misconfigured', 'UnusableLog', 'UnusableViews']
/** Failures of files and disks, and files that another process has. */
const FILE_ERRORS = ['StoreUnavailable', 'StoreDenied', 'UndecodableEvent', 'LockTaken', 'DiskFull']

/** The exit code for an error. Only a fault of the program shows its stack. */
const reportError = (error: unknown): number => {
  const { code = '', name, message } = error as NodeJS.ErrnoException
  const isUserError = /^E[A-Z]+$/.test(code) || USER_ERRORS.includes(name)
  const isFault = !isUserError && code !== 'ERR_SQLITE_ERROR' && !FILE_ERRORS.includes(name)
  process.stderr.write(printable(isFault ? `${inspect(error)}\n` : `berth: ${message}\n`))
  return isUserError ? MISUSED : REFUSED
}

// The launcher has a channel to this process, which closes with it.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref()

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader may close the pipe early.
  if (error.code === 'EPIPE') return
  process.stderr.write(`berth: ${error.message}\n`)
  process.exitCode = REFUSED
})
try {
  process.exitCode = await runCommandLine(process.argv.slice(2), process.env, terminal)
} catch (error) {
  process.exitCode = reportError(error)
}
