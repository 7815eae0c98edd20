import { connect } from 'node:net'
import { parentPort } from 'node:worker_threads'

/** Sends bytes from a worker thread, so that the CPU time of the main thread is the service's alone. */

export interface Order {
  readonly port: number
  readonly bytes: Uint8Array
}

/** The status of the first final answer, or 0 if the connection closed without one. */
const send = ({ port, bytes }: Order): Promise<number> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let head = ''
    const settle = (status: number): void => {
      resolve(status)
      socket.destroy()
    }
    socket.on('data', (chunk) => {
      head += chunk.toString('latin1')
      const final = /HTTP\/1\.1 ([2-5]\d\d) [\s\S]*?\r\n\r\n/.exec(head)
      if (final !== null) settle(Number(final[1]))
    })
    socket.on('error', () => settle(0))
    socket.on('close', () => settle(0))
    socket.write(bytes)
  })

parentPort?.on('message', async (order: Order) => parentPort?.postMessage(await send(order)))
