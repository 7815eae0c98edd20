import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { ROOT } from '../process/harness.ts'

export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** A YAML file with merge keys applied. */
export const readYaml = (path: string): unknown => parse(read(path), { merge: true, maxAliasCount: -1 })

export const { optionalDependencies } = JSON.parse(read('package.json'))
