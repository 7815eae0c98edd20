import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { parse } from 'yaml'
import { ROOT } from '../process/harness.ts'

export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** A YAML file with merge keys applied. */
export const readYaml = (path: string): unknown => parse(read(path), { merge: true, maxAliasCount: -1 })

export const { optionalDependencies } = JSON.parse(read('package.json'))

/** Whether a tool is installed. If not, logs that the test was not run. */
export const hasTool = (t: ExecutionContext, tool: string): boolean => {
  if (spawnSync(tool, ['--version']).error === undefined) return true
  t.log(`NOT RUN: there is no ${tool}`)
  t.pass()
  return false
}
