import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { startProtocolServer } from './event-store/eventstoredb/protocol/protocol-server.ts'
import { ROOT } from './process/harness.ts'

/**
 * What Berth shows over an EventStoreDB or a KurrentDB: `npm run test:store`, over the protocol server, or over a real one
 * with `TEST_EVENT_STORE='esdb://127.0.0.1:2113?tls=false' npm run test:store`. Tests of services whose store is changed, to fail
 * or to lie (test/http/store/stores.ts), or shared by two in one process (test/http/races/two-services.ts), have the embedded one here
 * too.
 */

const FILES = [
  'test/event-store/eventstoredb/conformance/conformance.test.ts',
  'test/event-store/eventstoredb/store.test.ts',
  'test/http/**/*.test.ts',
]

const HELP = `[TEST_EVENT_STORE='esdb://...'] npm run test:store -- [FILE ...] [--concurrency N]

Runs over the server at that address, or over one of its own: how a server behaves, the contract of the store, and
everything that is asked through HTTP; or the files given. Whatever it writes there has names of its own, and stays.

--concurrency is the number of files at a time, 1 unless given.
`

/** Ava counts the time in which no test has ended: a real server on a slow machine needs more than a file. */
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
  const asked = wanted(process.argv.slice(2))
  if (asked === undefined) {
    process.stdout.write(HELP)
    return process.argv.includes('--help') ? 0 : 2
  }
  const given = process.env.TEST_EVENT_STORE
  await using server = given ? undefined : await startProtocolServer()
  const address = given || String(server?.address)
  const { files, concurrency } = asked
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
