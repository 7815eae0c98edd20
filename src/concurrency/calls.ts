import type { Transferable } from 'node:worker_threads'

/** Functions that another thread may call. Arguments and results are copied (structured clone). */
export type Callable<Functions> = { readonly [Name in keyof Functions]: (...args: never[]) => unknown }

/** An error as it crosses threads: a copy keeps message, stack and cause, but neither class nor other members. */
interface SentError {
  readonly error: unknown
  readonly members: Readonly<Record<string, unknown>>
}

interface Call {
  /** The number of the answer; undefined if nobody waits for one. */
  readonly id: number | undefined
  readonly name: string
  readonly args: readonly unknown[]
}
type Answer = { readonly id: number } & ({ readonly result: unknown } | { readonly failed: SentError })

export type CallMessage = Call | Answer

/** Too many calls wait for an answer. The call was not made. */
export class TooManyCalls extends Error {
  override name = 'TooManyCalls'
}

export interface CallsOptions {
  readonly post: (message: CallMessage, transfer?: readonly Transferable[]) => void
  /** Calls that may wait for an answer. */
  readonly callsMax: number
  /** Whether an error of a function is one of this thread, so that nothing that was sent after the call is run. */
  readonly isFatal?: boolean
}

/** One end of a pair, of which each may call the functions of the other. Messages arrive in order. */
export interface PendingCalls<Remote extends Callable<Remote>> {
  /** Rejects with what the function throws, with TooManyCalls, or with the error of `fail`. */
  readonly call: <Name extends keyof Remote & string>(
    name: Name,
    args: Parameters<Remote[Name]>,
    transfer?: readonly Transferable[],
  ) => Promise<Awaited<ReturnType<Remote[Name]>>>
  /** Calls without an answer. An error is then the other thread's own. */
  readonly tell: <Name extends keyof Remote & string>(name: Name, args: Parameters<Remote[Name]>) => void
  /** @param reply takes the answer to a call. One that is late must not reach a thread that has replaced the other. */
  readonly receive: (message: CallMessage, reply: (answer: CallMessage) => void) => void
  readonly underWay: () => number
  readonly fail: (error: Error) => void
}

const toSent = (error: unknown): SentError => ({ error, members: error instanceof Error ? { ...error } : {} })

/** An error of another thread, of its built-in class or a plain one, with its members. */
const restoreError = ({ error, members }: SentError): unknown =>
  error instanceof Error ? Object.assign(error, members) : error

/** @param local functions that the other end may call */
export const makePendingCalls = <Remote extends Callable<Remote>>(
  local: object,
  { post, callsMax, isFatal = false }: CallsOptions,
): PendingCalls<Remote> => {
  const waiting = new Map<
    number,
    { readonly resolve: (result: never) => void; readonly reject: (error: unknown) => void }
  >()
  const functions = new Map<string, (...args: readonly unknown[]) => unknown>(Object.entries(local))
  let last = 0

  const run = ({ name, args }: Call): unknown => {
    const call = functions.get(name)
    if (call === undefined) throw new Error(`there is no function ${name}`)
    return call(...args)
  }

  const answer = async (call: Call, id: number, reply: (answer: CallMessage) => void): Promise<void> => {
    try {
      reply({ id, result: await run(call) })
    } catch (error) {
      if (isFatal) throw error
      reply({ id, failed: toSent(error) })
    }
  }

  return {
    call: (name, args, transfer) =>
      new Promise((resolve, reject) => {
        if (waiting.size >= callsMax) throw new TooManyCalls(`${callsMax} calls of the thread wait for an answer`)
        const id = ++last
        post({ id, name, args }, transfer)
        waiting.set(id, { resolve, reject })
      }),
    tell: (name, args) => post({ id: undefined, name, args }),
    receive: (message, reply) => {
      if (!('name' in message)) {
        const { id } = message
        const call = waiting.get(id)
        waiting.delete(id)
        if ('failed' in message) call?.reject(restoreError(message.failed))
        else call?.resolve(message.result as never)
      } else if (message.id === undefined) run(message)
      else void answer(message, message.id, reply)
    },
    underWay: () => waiting.size,
    fail: (error) => {
      const failed = [...waiting.values()]
      waiting.clear()
      for (const { reject } of failed) reject(error)
    },
  }
}
