import { parseArgs } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import { keyChecks } from '../service/checks/keys.ts'
import { readConfig } from '../service/config/config.ts'
import { clockConfirmCommand } from './clock/confirm.ts'
import { clockCorrectCommand } from './clock/correct.ts'
import { auditKeyCommand } from './keys/audit-key.ts'
import { vaultForgetCommand } from './keys/vault-forget.ts'
import { vaultRotateCommand } from './keys/vault-rotate.ts'
import { vaultStatusCommand } from './keys/vault-status.ts'
import { backupCommand } from './log/backup.ts'
import { checkpointCommand } from './log/checkpoint.ts'
import { copyCommand } from './log/copy.ts'
import { exportCommand } from './log/export.ts'
import { historyCommand } from './log/history.ts'
import { proofCommand } from './log/proof.ts'
import { replayCommand } from './log/replay.ts'
import { verifyCommand } from './log/verify.ts'
import { serveCommand } from './serve.ts'
import {
  type Command,
  DONE,
  EXIT_CODES,
  type Given,
  helpOf,
  MISUSED,
  type Terminal,
  usageOf,
} from './terminal/command.ts'
import { runUser, showUserHelp, USER } from './user.ts'

const commands: readonly Command[] = [
  serveCommand,
  backupCommand,
  historyCommand,
  replayCommand,
  verifyCommand,
  checkpointCommand,
  proofCommand,
  auditKeyCommand,
  exportCommand,
  vaultRotateCommand,
  vaultStatusCommand,
  vaultForgetCommand,
  copyCommand,
  clockConfirmCommand,
  clockCorrectCommand,
]

type Listed = Pick<Command, 'name' | 'summary' | 'example'>

const overview = (listed: readonly Listed[]): string => {
  const lines = listed.map(
    ({ name, summary, example }) => `  ${name.padEnd(16)}${summary}\n${' '.repeat(18)}${example}`,
  )
  return `berth: shares the machines of a test lab

  npm run -s berth -- COMMAND

${lines.join('\n')}
  help COMMAND    says more, like COMMAND --help

It is configured by variables named BERTH_...: see src/guide/configuration.md.
${EXIT_CODES}
`
}

const [serve, ...others] = commands as readonly [Command, ...Command[]]
const OVERVIEW = overview([serve, USER, ...others])

const misuse = (terminal: Terminal, why: string, usage: string): number => {
  terminal.stderr(`berth: ${why}\n${usage}\n`)
  return MISUSED
}

const TRY_HELP = 'try: npm run -s berth -- help'

/** What was typed behind a command; Left says what is wrong with it, and repeats no value. */
const parse = (
  { options, operands }: Command,
  args: readonly string[],
): E.Either<string, Given & { help: boolean }> => {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    })
    const help = values.help === true
    if (!help && positionals.length !== operands.length) {
      return E.left(operands.length === 0 ? 'it takes no arguments' : `it takes ${operands.join(' and ')}`)
    }
    return E.right({ operands: positionals, options: values as Given['options'], help })
  } catch (error) {
    // Node's own sentence names the option and never its value; what follows it is advice for other cases.
    return E.left((error as Error).message.split(/\.\s|\.$/)[0] ?? 'wrong options')
  }
}

const isHelpAsked = (args: readonly string[]): boolean => {
  const end = args.indexOf('--')
  return (end === -1 ? args : args.slice(0, end)).some((arg) => arg === '--help' || arg === '-h')
}

type Environment = Readonly<Record<string, string | undefined>>

const runCommand = async (command: Command, args: readonly string[], environment: Environment, terminal: Terminal) => {
  const given = parse(command, args)
  if (E.isLeft(given)) return misuse(terminal, given.left, `usage: ${usageOf(command)}`)
  if (given.right.help) {
    terminal.stdout(helpOf(command))
    return DONE
  }
  const config = readConfig(environment, keyChecks)
  if (E.isRight(config)) return command.run(given.right, config.right, terminal)
  for (const problem of config.left) terminal.stderr(`berth: ${problem}\n`)
  return MISUSED
}

const runOnUsers = async (args: readonly string[], environment: Environment, terminal: Terminal): Promise<number> => {
  if (isHelpAsked(args)) return showUserHelp(args, terminal)
  const config = readConfig(environment, keyChecks)
  if (E.isRight(config)) return runUser(args, config.right, terminal)
  for (const problem of config.left) terminal.stderr(`berth: ${problem}\n`)
  return MISUSED
}

/** Runs what was typed behind `berth`. Resolves to the exit code. */
export const runCommandLine = async (
  args: readonly string[],
  environment: Environment,
  terminal: Terminal,
): Promise<number> => {
  const [first, second, ...rest] = args
  if (first === undefined) return misuse(terminal, 'a command is missing', OVERVIEW.trimEnd())
  if (['help', '--help', '-h'].includes(first)) {
    if (second !== undefined) return runCommandLine([second, ...rest, '--help'], environment, terminal)
    terminal.stdout(OVERVIEW)
    return DONE
  }
  if (first === USER.name) return runOnUsers(args.slice(1), environment, terminal)
  const command = commands.find(({ name }) => name === first)
  if (command !== undefined) return runCommand(command, args.slice(1), environment, terminal)
  const group = commands.filter(({ name }) => name.startsWith(`${first} `))
  if (group.length === 0) return misuse(terminal, `there is no command ${JSON.stringify(first)}`, TRY_HELP)
  const member = group.find(({ name }) => name === `${first} ${second}`)
  if (member !== undefined) return runCommand(member, rest, environment, terminal)
  const usage = group.map((each) => `usage: ${usageOf(each)}\n         ${each.summary}`).join('\n')
  if (second === '--help' || second === '-h') {
    terminal.stdout(`${usage}\n${EXIT_CODES}\n`)
    return DONE
  }
  const why = second === undefined ? 'a command is missing' : `${JSON.stringify(second)} is no command of ${first}`
  return misuse(terminal, why, usage)
}
