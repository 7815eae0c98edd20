import type { Tidying } from '../http/harness.ts'

/** Runs a task with teardowns like a test's, in reverse order. */
export const withScope = async <A>(task: (scope: Tidying) => Promise<A>): Promise<A> => {
  const tasks: (() => void | Promise<void>)[] = []
  try {
    return await task({ teardown: (added) => tasks.push(added) })
  } finally {
    for (const tidyUp of tasks.reverse()) await tidyUp()
  }
}
