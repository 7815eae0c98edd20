/**
 * Runs tests on an EventStoreDB or a KurrentDB: `npm run test:store` uses the protocol server, and
 * `TEST_EVENT_STORE='esdb://127.0.0.1:2113?tls=false' npm run test:store` a real one. Tests still use the embedded store
 * if they replace it with a faulty one (test/http/store/stores.ts) or share it between two services in one process
 * (test/http/races/two-services.ts).
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { startProtocolServer } from './event-store/eventstoredb/protocol/protocol-server.ts'
import { ROOT } from './process/harness.ts'

const FILES = ['test/event-store/eventstoredb/store.test.ts', 'test/http/**/*.test.ts']

const HELP = `[TEST_EVENT_STORE='esdb://...'] npm run test:store -- [FILE ...] [--concurrency N]

Runs the store contract and the HTTP tests, or the files given, on the server at that
address or on one of its own. Everything it writes there has unique names, and stays.

--concurrency is the number of files at a time, 1 unless given.
`

/** Ava counts the time since a test last ended, which is long with a real server on a slow machine. */
const IDLE_WITHIN = '15m'

interface Wanted {
  readonly files: readonly string[]
  readonly concurrency: number
}

const wanted = (args: readonly string[]): Wanted | undefined => {
  const at = args.indexOf('--concurrency')
  const concurrency = at < 0 ? 1 : Number(args[at + 1])
  const files = at < 0 ? args : args.toSpliced(at, 2)
  const isRight = Number.isInteger(concurrency) && concurrency > 0 && files.every((file) => !file.startsWith('-'))
  return isRight ? { files: files.length > 0 ? files : FILES, concurrency } : undefined
}

const AVA = join(ROOT, 'node_modules/ava/entrypoints/cli.js')

/** An address without the password it may have. */
const shown = (address: string): string => address.replace(/\/\/[^@/]*@/, '//...@')

const main = async (): Promise<number> => {
  const parsed = wanted(process.argv.slice(2))
  if (parsed === undefined) {
    process.stdout.write(HELP)
    return process.argv.includes('--help') ? 0 : 2
  }
  const given = process.env.TEST_EVENT_STORE
  await using server = given ? undefined : await startProtocolServer()
  const address = given || String(server?.address)
  const { files, concurrency } = parsed
  process.stdout.write(`over ${given ? shown(given) : 'the protocol server'}: ${files.join(' ')}\n`)
  const began = performance.now()
  const options = ['--timeout', IDLE_WITHIN, '--concurrency', String(concurrency)]
  const child = spawn(process.execPath, [AVA, ...options, ...files], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, TEST_EVENT_STORE: address },
  })
  const [code] = await once(child, 'exit')
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  process.stdout.write(`${code === 0 ? 'passed' : 'FAILED'} after ${seconds} s, node ${process.version}\n`)
  return code === 0 ? 0 : 1
}

process.exit(await main())
