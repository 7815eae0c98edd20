import { randomBytes } from 'node:crypto'
import { runCommandLine } from '../../src/command-line/run.ts'
import type { Terminal } from '../../src/command-line/terminal/command.ts'

export interface Ran {
  readonly code: number
  readonly out: string
  readonly error: string
}

/** Runs a command line with captured output. */
export const type = async (
  line: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = {},
  more: Partial<Terminal> = {},
): Promise<Ran> => {
  const output = { out: '', error: '' }
  const terminal: Terminal = {
    stdin: async () => new Uint8Array(),
    stdout: (text) => {
      output.out += text
    },
    send: async (text) => {
      output.out += text
      return undefined
    },
    stderr: (text) => {
      output.error += text
    },
    redraw: (text) => {
      output.error += `\r${text}\u001b[K`
    },
    columns: undefined,
    isWatched: false,
    now: Date.now,
    randomBytes,
    ...more,
  }
  const code = await runCommandLine(line, environment, terminal)
  return { code, ...output }
}
