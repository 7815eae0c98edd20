import { connect } from 'node:net'
import { parentPort } from 'node:worker_threads'

/** Sends bytes from a worker thread, so that the CPU time of the main thread is the service's alone. */

/** Resolves at the first final answer, or when the connection closes without one. */
const send = ({ port, bytes }: { readonly port: number; readonly bytes: Uint8Array }): Promise<void> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let head = ''
    const settle = (): void => {
      resolve()
      socket.destroy()
    }
    socket.on('data', (chunk) => {
      head += chunk.toString('latin1')
      if (/HTTP\/1\.1 [2-5]\d\d [\s\S]*?\r\n\r\n/.test(head)) settle()
    })
    socket.on('error', settle)
    socket.on('close', settle)
    socket.write(bytes)
  })

parentPort?.on('message', async (order) => parentPort?.postMessage(await send(order)))
