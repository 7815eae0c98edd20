import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import { projections } from '../projections/index.ts'
import { type Config, readConfig } from './config.ts'
import { openSqliteStore } from './event-store/sqlite.ts'
import { replay } from './read-models/replay.ts'
import { serve } from './serve.ts'
import { runUserCommand, type UserIo } from './users/user-commands.ts'

const HELP = `berth: shares the machines of a test lab

  npm run berth -- COMMAND

  serve     runs the service                              npm run berth -- serve
  user      adds, lists and removes users                 npm run berth -- user add anna --role tester
  replay    makes the documents anew from the log and
            compares them with those in use               npm run berth -- replay
  help      shows this

It is configured by variables named BERTH_...; the README lists them.
Exit codes: 0 done; 1 refused, failed or found a difference; 2 wrong command or configuration.
`

const REPLAY_HELP = `berth replay [--json]

Folds the log into fresh documents, up to the place that those in use have come to, and compares the two.
Works beside a running service. Exit codes: 0 they agree; 1 they differ; 2 wrong command or configuration.

  npm run berth -- replay
  npm run berth -- replay --json
`

const usage = (problem: string): number => {
  process.stderr.write(`berth: ${problem}\n`)
  return 2
}

/** Writes how far a long run has come, over and over on one line, where somebody is looking. */
const progressLine = (): { show: (done: number, of: number) => void; end: () => void } => {
  const isWatched = process.stderr.isTTY
  return {
    show: (done, of) => {
      if (isWatched) process.stderr.write(`\r${done} of ${of} events`)
    },
    end: () => {
      if (isWatched) process.stderr.write('\r\u001b[K')
    },
  }
}

const runReplay = async (args: readonly string[], config: Config): Promise<number> => {
  const { values } = parseArgs({ args: [...args], options: { json: { type: 'boolean' }, help: { type: 'boolean' } } })
  if (values.help) {
    process.stdout.write(REPLAY_HELP)
    return 0
  }
  const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex')
  const onFatal = (error: unknown): never => {
    throw error
  }
  const store = openSqliteStore({ path: config.eventStore.path, readOnly: true, randomHex, onFatal })
  const progress = progressLine()
  try {
    const compared = await replay(join(config.data, 'views.db'), store, projections, progress.show)
    progress.end()
    const isSame = compared.differences.length === 0
    if (values.json) process.stdout.write(`${JSON.stringify({ same: isSame, ...compared })}\n`)
    else {
      for (const difference of compared.differences) process.stdout.write(`${difference}\n`)
      const verdict = isSame ? 'same' : 'different'
      process.stdout.write(`${verdict}: ${compared.documents} documents from ${compared.events} events\n`)
    }
    return isSame ? 0 : 1
  } finally {
    await store.close()
  }
}

const dispatch = async (command: string | undefined, args: readonly string[]): Promise<number> => {
  if (command === undefined || command === 'help' || command === '--help' || command === '-h') {
    process.stdout.write(HELP)
    return command === undefined ? 2 : 0
  }
  if (!['serve', 'user', 'replay'].includes(command))
    return usage(`there is no command ${JSON.stringify(command)}; try: npm run berth -- help`)
  const config = readConfig(process.env)
  if (E.isLeft(config)) {
    for (const problem of config.left) process.stderr.write(`berth: ${problem}\n`)
    return 2
  }
  switch (command) {
    case 'serve':
      if (args.length > 0) return usage('serve takes no arguments; it is configured by variables named BERTH_...')
      // Whatever a half-dead socket or disk still holds open, the service has said that it is over.
      return process.exit(await serve(config.right))
    case 'user':
      return runUserCommand(args, config.right, userIo)
    default:
      return runReplay(args, config.right)
  }
}

/** Everything on standard input. */
const readStdin = async (): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks)
}

const userIo: UserIo = {
  now: Date.now,
  randomBytes,
  stdin: readStdin,
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
}

/**
 * The exit code for an error. Mistakes of whoever types and failures of files get a sentence; only what is wrong in the
 * program shows its stack.
 */
const told = (error: unknown): number => {
  const { code = '', name, message } = error as NodeJS.ErrnoException
  const isTheirMistake = /^(?:ERR_PARSE_ARGS\w*|E[A-Z]+)$/.test(code) || ['UnusableLog', 'UnusableViews'].includes(name)
  const isOfFiles = code === 'ERR_SQLITE_ERROR' || ['StoreUnavailable', 'UndecodableEvent'].includes(name)
  if (!isTheirMistake && !isOfFiles) throw error
  process.stderr.write(`berth: ${message}\n`)
  return isTheirMistake ? 2 : 1
}

const [command, ...args] = process.argv.slice(2)
try {
  process.exitCode = await dispatch(command, args)
} catch (error) {
  process.exitCode = told(error)
}
