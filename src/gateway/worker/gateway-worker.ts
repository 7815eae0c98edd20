import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import type { Order, Report, WorkerOptions } from '../messages.ts'
import { makeSwitchboard } from './switchboard.ts'

/** The gateway's worker thread. It moves bytes; the main thread decides (see ../gateway.ts). */

const NICENESS = 10

/**
 * Lets the main thread go first when both need the same core: records matter more than bytes. Linux has priorities of
 * threads (setpriority(2), sched(7)). Elsewhere nothing changes.
 */
const giveWay = (): void => {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), NICENESS)
  } catch {
    // There is no /proc, or a sandbox forbids the change.
  }
}

/** Reports of one turn of the event loop are sent as one message. */
let reports: Report[] = []

const send = (): void => {
  if (reports.length > 0) parentPort?.postMessage(reports)
  reports = []
}

const report = (made: Report): void => {
  if (reports.push(made) === 1) setImmediate(send)
}

/** Follows the orders that have arrived. Sockets that became readable meanwhile may otherwise come first. */
const followArrived = (): void => {
  const next = () => parentPort && receiveMessageOnPort(parentPort)
  for (let order = next(); order; order = next()) follow(order.message as Order)
}

const switchboard = makeSwitchboard(workerData as WorkerOptions, report, followArrived)

const follow = (order: Order): void => {
  if (order.kind === 'open') {
    const { call, forwarding } = order
    switchboard.open(forwarding).then((isOpen) => report({ kind: 'opened', call, isOpen }))
  } else if (order.kind === 'close') switchboard.close(order.reservationId, order.cause)
  else if (order.kind === 'cut') switchboard.cut(order.reservationId, order.cause)
  else if (order.kind === 'reconsider') switchboard.reconsider(order.reservationId)
  else if (order.kind === 'hold') switchboard.hold(order)
  else if (order.kind === 'release') switchboard.release(order)
  else if (order.kind === 'attach') {
    const { call } = order
    switchboard.attach(order).then((attached) => {
      const answer = typeof attached === 'number' ? { connection: attached } : { refused: attached }
      report({ kind: 'attached', call, ...answer })
    })
  } else if (order.kind === 'stop') {
    switchboard.stop()
    send()
    // Sockets that are shutting down are reset in a later turn.
    setTimeout(() => process.exit(), 20)
  } else switchboard.answer(order)
}

giveWay()
parentPort?.on('message', follow)
