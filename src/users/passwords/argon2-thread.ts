/** A thread of argon2.ts, which gives way to the service. */

import { argon2Sync } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { basename } from 'node:path'
import { answerCalls } from '../../concurrency/answer-calls.ts'
import type { Argon2Thread } from './argon2.ts'

// With this much, two threads get a sixth of a core that the service would take as a whole.
const NICER = 10

/** On other systems, and where /proc is missing, a priority is a process's, which must keep its own. */
const giveWay = (): void => {
  try {
    // `pid/task/tid`; setpriority(2) takes a thread's id on Linux.
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), Math.min(19, getPriority() + NICER))
  } catch {}
}

if (process.platform === 'linux') giveWay()

const derive: Argon2Thread['derive'] = ({ password, salt, memory, passes, parallelism, tagLength }) => {
  const before = process.threadCpuUsage()
  const tag = argon2Sync('argon2id', { message: password, nonce: salt, memory, passes, parallelism, tagLength })
  const { user, system } = process.threadCpuUsage(before)
  return { tag, cpu: (user + system) / 1_000 }
}

answerCalls({ derive } satisfies Argon2Thread)
