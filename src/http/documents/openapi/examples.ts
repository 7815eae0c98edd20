import { readFileSync } from 'node:fs'
import type { Code } from '../../protocol/problem.ts'

/** Real answers, as tests got them; a test makes them again and compares. */

export interface Example {
  /** `POST /api/sut/create` */
  readonly operation: string
  readonly name: string
  /** The body that was sent. */
  readonly request?: unknown
  readonly mediaType: string
  /** What came back: a value where it is JSON, or else text. */
  readonly body: unknown
  /** The code of a refusal; an operation's own examples have none. */
  readonly code?: Code
}

export interface Examples {
  /** What an operation answered when it did what it is for. */
  readonly of: (operation: string) => readonly Example[]
  /** A refusal with this code. */
  readonly problem: (code: Code) => unknown
}

export const examplesFrom = (all: readonly Example[]): Examples => ({
  of: (operation) => all.filter((example) => example.operation === operation && example.code === undefined),
  problem: (code) => all.find((example) => example.code === code)?.body,
})

const FILE = new URL('examples.json', import.meta.url)

export const readExamples = (): readonly Example[] => JSON.parse(readFileSync(FILE, 'utf8')) as readonly Example[]
