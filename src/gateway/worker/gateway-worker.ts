/** The gateway's worker thread. It moves bytes; the main thread decides (see ../gateway.ts). */

import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'
import { answerCalls } from '../../concurrency/answer-calls.ts'
import type { GatewayOwner, GatewayThread, GatewayWorkerOptions } from '../messages.ts'
import { makeSwitchboard } from './switchboard.ts'

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

giveWay()
const { stop, ...functions } = makeSwitchboard(workerData as GatewayWorkerOptions, {
  tell: (name, args) => main.tell(name, args),
  call: (name, args) => main.call(name, args),
  // Sockets that became readable meanwhile may otherwise come first.
  receiveArrived: () => main.receiveArrived(),
})
const main = answerCalls<GatewayOwner>(functions satisfies GatewayThread, {
  close: async () => {
    stop()
    // Sockets that are shutting down are reset in a later turn.
    await delay(20)
  },
  isFatal: true,
})
