import { randomBytes } from 'node:crypto'
import { runCommandLine } from './command-line/run.ts'
import { REFUSED, type Terminal } from './command-line/terminal/command.ts'
import './app/node-settings.ts'

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
  stdout: (text) => void process.stdout.write(text),
  send: (text) =>
    new Promise((resolve) => {
      process.stdout.write(text, (error) => resolve(error == null ? undefined : (error as NodeJS.ErrnoException).code))
    }),
  stderr: (text) => void process.stderr.write(text),
  redraw: (text) => void process.stderr.write(`\r${text}\u001b[K`),
  columns: process.stdout.isTTY ? process.stdout.columns || COLUMNS : undefined,
  isWatched: process.stderr.isTTY ?? false,
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
process.exitCode = await runCommandLine(process.argv.slice(2), process.env, terminal)
