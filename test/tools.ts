import { spawnSync } from 'node:child_process'
import type { ExecutionContext } from 'ava'

/** Whether this machine has these tools. If not, logs that the test was not run. */
export const areInstalled = (t: ExecutionContext, ...tools: readonly string[]): boolean => {
  const missing = tools.filter((tool) => spawnSync('which', [tool]).status !== 0)
  if (missing.length === 0) return true
  t.log(`NOT RUN: there is no ${missing.join(', no ')}`)
  t.pass()
  return false
}
