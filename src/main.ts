import { randomBytes } from 'node:crypto'
import { runCommandLine } from './command-line/run.ts'
import { MISUSED, REFUSED, type Terminal } from './command-line/terminal/command.ts'
import './service/heap.ts'

/** Everything on standard input. */
const readStdin = async (): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks)
}

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
  isWatched: process.stderr.isTTY ?? false,
}

/** What whoever types can mend: paths that are wrong, files that are none of ours. */
const THEIRS = ['UnusableLog', 'UnusableViews']
/** What becomes of files and disks, and of others who have them. */
const OF_FILES = ['StoreUnavailable', 'StoreDenied', 'UndecodableEvent', 'LockTaken']

/**
 * The exit code for an error. Mistakes of whoever types and failures of files get a sentence; only what is wrong in the
 * program shows its stack.
 */
const told = (error: unknown): number => {
  const { code = '', name, message } = error as NodeJS.ErrnoException
  const isTheirs = /^E[A-Z]+$/.test(code) || THEIRS.includes(name)
  if (!isTheirs && code !== 'ERR_SQLITE_ERROR' && !OF_FILES.includes(name)) throw error
  process.stderr.write(`berth: ${message}\n`)
  return isTheirs ? MISUSED : REFUSED
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Whoever reads the output may have seen enough.
  if (error.code === 'EPIPE') return
  process.stderr.write(`berth: ${error.message}\n`)
  process.exitCode = REFUSED
})
try {
  process.exitCode = await runCommandLine(process.argv.slice(2), process.env, terminal)
} catch (error) {
  process.exitCode = told(error)
}
