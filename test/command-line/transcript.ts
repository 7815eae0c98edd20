/**
 * Transcripts: lines that begin with `$ berth`, and below each what it prints on both outputs. `<<< text` is standard
 * input, `# exit 1` the exit code unless it is 0. `…` stands for any text, and `<id>` and the like for values of a form.
 */

import type { ExecutionContext } from 'ava'
import type { Terminal } from '../../src/command-line/terminal/command.ts'
import { type } from './terminal.ts'

const FORMS: Readonly<Record<string, string>> = {
  '…': '[^]*?',
  '<id>': '[0-9a-f]{24}',
  '<password>': '[0-9a-z]{26}',
  '<token>': 'berth_[A-Za-z0-9_-]{43}',
  '<time>': '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}(?:Z|\\+00:00)',
}

const patternOf = (shown: string): RegExp => {
  const parts = shown.split(/(…|<(?:id|password|token|time)>)/)
  return new RegExp(`^${parts.map((part) => FORMS[part] ?? RegExp.escape(part)).join('')}$`)
}

interface Step {
  readonly line: string
  readonly stdin: string
  readonly shown: string
  readonly code: number
}

const readSteps = (transcript: string): readonly Step[] =>
  transcript
    .split(/^\$ berth ?/m)
    .slice(1)
    .map((text) => {
      const [command = '', ...answer] = text.trimEnd().split('\n')
      const [line = '', stdin = ''] = command.split(' <<< ')
      const code = /^# exit (\d+)$/.exec(answer.at(-1) ?? '')?.[1]
      const shown = (code === undefined ? answer : answer.slice(0, -1)).map((each) => `${each}\n`).join('')
      return { line, stdin, shown, code: Number(code ?? 0) }
    })

/** The words of a line, of which some are in single quotes. */
const wordsOf = (line: string): readonly string[] =>
  [...line.matchAll(/(?:[^\s']|'[^']*')+/g)].map(([word]) => word.replaceAll("'", ''))

/** Runs the commands of a transcript, and compares what they print. Resolves to the output of the last one. */
export const follow = async (
  t: ExecutionContext,
  transcript: string,
  environment: Readonly<Record<string, string | undefined>>,
  terminal: Partial<Terminal> = {},
): Promise<string> => {
  let last = ''
  for (const { line, stdin, shown, code } of readSteps(transcript)) {
    const input = { stdin: async () => Buffer.from(stdin) }
    const ran = await type(wordsOf(line), environment, { ...input, ...terminal })
    last = ran.out
    t.is(ran.code, code, `${line}\n${ran.out}${ran.error}`)
    t.regex(`${ran.out}${ran.error}`, patternOf(shown), line)
  }
  return last
}
