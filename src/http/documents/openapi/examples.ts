import { readFileSync } from 'node:fs'
import type { Code } from '../../protocol/problem.ts'

/** Real responses recorded by tests. A test records them again and compares. */

export interface Example {
  /** For example `POST /api/sut/create`. */
  readonly operation: string
  readonly name: string
  /** The request body. */
  readonly request?: unknown
  readonly mediaType: string
  /** The response body: a JSON value or text. */
  readonly body: unknown
  /** The code of an error response; absent otherwise. */
  readonly code?: Code
}

export interface Examples {
  /** The successful examples of an operation. */
  readonly of: (operation: string) => readonly Example[]
  /** An error response with this code. */
  readonly problem: (code: Code) => unknown
}

export const examplesFrom = (all: readonly Example[]): Examples => ({
  of: (operation) => all.filter((example) => example.operation === operation && example.code === undefined),
  problem: (code) => all.find((example) => example.code === code)?.body,
})

const FILE = new URL('examples.json', import.meta.url)

export const readExamples = (): readonly Example[] => JSON.parse(readFileSync(FILE, 'utf8')) as readonly Example[]
