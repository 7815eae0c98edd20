import { parentPort, receiveMessageOnPort } from 'node:worker_threads'
import { type Callable, type CallMessage, makePendingCalls, type PendingCalls } from './calls.ts'

/** The thread's own end of the calls of thread.ts. */
export interface Answering<Remote extends Callable<Remote>> extends Pick<PendingCalls<Remote>, 'call' | 'tell'> {
  /** Handles the messages that have arrived. Otherwise other events of this turn of the event loop may come first. */
  readonly receiveArrived: () => void
}

export interface AnsweringOptions {
  /** Closes what the thread has open, before it ends. */
  readonly close?: () => Promise<void> | void
  /** Whether an error of a function ends the thread: its state may be of no use then. */
  readonly isFatal?: boolean
}

/** Answers the calls of the thread that has started this one. */
export const answerCalls = <Remote extends Callable<Remote> = Record<never, never>>(
  local: object,
  { close = () => undefined, isFatal = false }: AnsweringOptions = {},
): Answering<Remote> => {
  const port = parentPort
  if (port === null) throw new Error('this module is a worker thread')
  // What this thread asks is bounded by what it does for others.
  const callsMax = Number.POSITIVE_INFINITY
  const post = (message: CallMessage): void => port.postMessage(message)
  const calls = makePendingCalls<Remote>(local, { post, callsMax, isFatal })

  const receive = async (message: CallMessage | 'close'): Promise<void> => {
    if (message !== 'close') return calls.receive(message, post)
    await close()
    process.exit()
  }
  port.on('message', receive)
  return {
    ...calls,
    receiveArrived: () => {
      for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) void receive(next.message)
    },
  }
}
