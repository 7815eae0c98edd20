import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'
import { answerCalls } from '../../concurrency/answer-calls.ts'
import type { GatewayOwner, GatewayThread, GatewayWorkerOptions, WorkerReport } from '../messages.ts'
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
let reports: WorkerReport[] = []

const send = (): void => {
  if (reports.length > 0) main.tell('report', [reports])
  reports = []
}

const report = (made: WorkerReport): void => {
  if (reports.push(made) === 1) setImmediate(send)
}

const { stop, ...switchboard } = makeSwitchboard(workerData as GatewayWorkerOptions, {
  report,
  call: (name, args) => main.call(name, args),
  // Sockets that became readable meanwhile may otherwise come first.
  followArrived: () => main.receiveArrived(),
})

/** What was reported before an answer arrives before it, too. */
const afterReports =
  <Args extends readonly unknown[], A>(act: (...args: Args) => Promise<A>) =>
  async (...args: Args): Promise<A> => {
    const answer = await act(...args)
    send()
    return answer
  }

giveWay()
const functions: GatewayThread = {
  ...switchboard,
  open: afterReports(switchboard.open),
  attach: afterReports(switchboard.attach),
}
const main = answerCalls<GatewayOwner>(functions, {
  close: async () => {
    stop()
    send()
    // Sockets that are shutting down are reset in a later turn.
    await delay(20)
  },
  isFatal: true,
})
