import { once } from 'node:events'
import { connect } from 'node:net'
import { Worker } from 'node:worker_threads'
import type { Tidying } from '../http/harness.ts'
import { HOST } from './peers.ts'

const DEAF = `
  const { createServer } = require('node:net')
  const { parentPort } = require('node:worker_threads')
  const server = createServer().listen({ port: 0, host: '${HOST}', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
  })`

/** A port that answers no connection: nobody accepts them, and the queue is full. */
export const deafPort = async (t: Tidying): Promise<number> => {
  const worker = new Worker(DEAF, { eval: true })
  const [port] = (await once(worker, 'message')) as [number]
  const fillers = Array.from({ length: 8 }, () => connect({ port, host: HOST }).on('error', () => undefined))
  t.teardown(async () => {
    for (const filler of fillers) filler.destroy()
    await worker.terminate()
  })
  await once(fillers[0] as (typeof fillers)[number], 'connect')
  return port
}
