import { acquireLock } from '../../src/files/lock.ts'

// Run by lock.test.ts with --expose-gc: holds a lock that nothing refers to, until its input ends or it is killed.
acquireLock(process.argv[2] as string)
globalThis.gc?.()
await new Promise(setImmediate)
globalThis.gc?.()
process.stdout.write('held\n')
process.stdin.resume()
