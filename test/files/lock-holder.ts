import { acquireLock } from '../../src/files/lock.ts'

// Run by lock.test.ts with --expose-gc: holds an unreferenced lock until stdin ends or the process is killed.
acquireLock(process.argv[2] as string)
globalThis.gc?.()
await new Promise(setImmediate)
globalThis.gc?.()
process.stdout.write('held\n')
process.stdin.resume()
