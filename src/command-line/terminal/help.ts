import type { CommandHelp } from './command.ts'
import { wrap } from './wrap.ts'

/** How to run a command in a checkout. */
export const PROGRAM = 'npx berth'

export const EXIT_CODES =
  'Exit codes: 0 done; 1 refused, failed or a difference found; 2 wrong command or configuration.'

/** Leaves room for `usage: ` in a line of 120. */
const USAGE_WIDTH = 105

/** A command with its operands and options: `backup DIR [--json]`. */
export const usageOf = ({ name, operands = [], options = {} }: CommandHelp): string => {
  const flags = Object.entries(options).map(([flag, { type, multiple, isRequired }]) => {
    const usage = `--${flag}${type === 'string' ? ' VALUE' : ''}`
    return `${isRequired ? usage : `[${usage}]`}${multiple ? '...' : ''}`
  })
  let [usage, width] = [name, name.length]
  for (const part of [...operands, ...flags]) {
    const isFull = width + 1 + part.length > USAGE_WIDTH
    usage += isFull ? `\n    ${part}` : ` ${part}`
    width = isFull ? 4 + part.length : width + 1 + part.length
  }
  return usage
}

const WIDTH = 120

/** What the options mean that the text does not explain. */
const notesOn = ({ options = {} }: CommandHelp): string => {
  const noted = Object.entries(options).filter(([, { note }]) => note !== undefined)
  const lines = noted.map(([name, { note }]) => wrap(`--${name}: ${note}`, WIDTH, '  '))
  return lines.length === 0 ? '' : `\n${lines.join('')}`
}

export const helpOf = (command: CommandHelp): string => `berth ${usageOf(command)}

${command.help.trim()}
${notesOn(command)}
  ${PROGRAM} ${command.example}

${command.exitCodes ?? EXIT_CODES}
`

/** The members of a group, such as `vault rotate` and `vault status`. */
export const groupUsageOf = (members: readonly CommandHelp[]): string =>
  members.map((each) => `usage: ${usageOf(each)}\n         ${each.summary}`).join('\n')

export const TRY_HELP = `try: ${PROGRAM} help`

type Listed = Pick<CommandHelp, 'name' | 'summary' | 'example'>

export const overviewOf = (listed: readonly Listed[], operations: readonly Listed[]): string => {
  const lines = listed.map(
    ({ name, summary, example }) => `  ${name.padEnd(16)}${summary}\n${' '.repeat(18)}${example}`,
  )
  const requests = operations.map(({ name, summary }) => `    ${name.padEnd(24)}${summary}`)
  return `berth: shares the machines of a test lab

  ${PROGRAM} COMMAND

${lines.join('\n')}
  help COMMAND    shows more about a command, as COMMAND --help does
  --version, -V   prints the version

  Requests to the service:
${requests.join('\n')}

Configuration is in environment variables named BERTH_...; the chapter on configuration in the guide lists them.
${EXIT_CODES}
`
}
