import { connect } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

/** Many readers of Server-Sent Events in a worker thread, so that they do not disturb measurements. */

export interface CrowdOrder {
  readonly port: number
  readonly authorization: string
  readonly readers: number
  /** The position after which all readers start. */
  readonly after: number
}

/** Totals of all readers so far. */
export interface CrowdReport {
  readonly received: number
  readonly problems: readonly string[]
}

const { port, authorization, readers, after } = workerData as CrowdOrder
const at = String(after).padStart(20, '0')
const request = `GET /api/events?after=${at} HTTP/1.1\r\nHost: berth\r\nAccept: text/event-stream\r\nAuthorization: ${authorization}\r\n\r\n`

let opened = 0
let received = 0
const problems: string[] = []

const read = (): void => {
  let rest = ''
  let last = after
  let isOpen = false
  const socket = connect(port, '127.0.0.1', () => socket.write(request))
  socket.on('error', (error) => problems.push(error.message))
  socket.on('close', () => problems.push('cut off'))
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    const blocks = (rest + chunk).split('\n\n')
    rest = blocks.pop() as string
    if (!isOpen && blocks.length > 0) {
      isOpen = true
      if (++opened === readers) parentPort?.postMessage('open')
    }
    for (const block of blocks) {
      const id = /^id: (\d+)$/m.exec(block)?.[1]
      if (id === undefined) continue
      if (Number(id) !== last + 1) problems.push(`${id} after ${last}`)
      last = Number(id)
      received++
    }
  })
}

for (let i = 0; i < readers; i++) read()
parentPort?.on('message', () => {
  const report: CrowdReport = { received, problems: problems.slice(0, 10) }
  parentPort?.postMessage(report)
})
