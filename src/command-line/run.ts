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
import { type Command, DONE, MISUSED, type Terminal } from './terminal/command.ts'
import { EXIT_CODES, groupUsageOf, helpOf, overviewOf, TRY_HELP, usageOf } from './terminal/help.ts'
import { parse } from './terminal/parse.ts'
import { didYouMean } from './terminal/suggest.ts'
import { version } from './terminal/version.ts'
import { runUser, showUserHelp, USER, userCommandNames } from './user.ts'

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

const [serve, ...others] = commands as readonly [Command, ...Command[]]
const OVERVIEW = overviewOf([serve, USER, ...others])

const GROUPS = [
  ...new Set(
    commands.map(({ name }) => name.split(' ')).flatMap(([group = '', ...rest]) => (rest.length > 0 ? [group] : [])),
  ),
]
/** Every word or pair of words that a command line may start with. */
const NAMES = ['help', ...commands.map(({ name }) => name), ...GROUPS, USER.name, ...userCommandNames]

const misuse = (terminal: Terminal, why: string, usage: string): number => {
  terminal.stderr(`berth: ${why}\n${usage}\n`)
  return MISUSED
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

const runInGroup = async (
  group: readonly Command[],
  [first = '', second, ...rest]: readonly string[],
  environment: Environment,
  terminal: Terminal,
): Promise<number> => {
  const member = group.find(({ name }) => name === `${first} ${second}`)
  if (member !== undefined) return runCommand(member, rest, environment, terminal)
  const usage = groupUsageOf(group)
  if (second === '--help' || second === '-h') {
    terminal.stdout(`${usage}\n${EXIT_CODES}\n`)
    return DONE
  }
  if (second === undefined) return misuse(terminal, 'a command is missing', usage)
  const names = group.map(({ name }) => name)
  return misuse(terminal, `${JSON.stringify(second)} is not a ${first} command${didYouMean(second, names)}`, usage)
}

/** Runs the arguments of `berth`. Resolves to the exit code. */
export const runCommandLine = async (
  args: readonly string[],
  environment: Environment,
  terminal: Terminal,
): Promise<number> => {
  const [first, ...rest] = args
  if (first === undefined) return misuse(terminal, 'a command is missing', OVERVIEW.trimEnd())
  if (['help', '--help', '-h'].includes(first)) {
    if (rest.length > 0) return runCommandLine([...rest, '--help'], environment, terminal)
    terminal.stdout(OVERVIEW)
    return DONE
  }
  if (first === '--version' || first === '-V') {
    terminal.stdout(`berth ${version()}\n`)
    return DONE
  }
  if (first === USER.name) return runOnUsers(rest, environment, terminal)
  const command = commands.find(({ name }) => name === first)
  if (command !== undefined) return runCommand(command, rest, environment, terminal)
  const group = commands.filter(({ name }) => name.startsWith(`${first} `))
  if (group.length > 0) return runInGroup(group, args, environment, terminal)
  return misuse(terminal, `there is no command ${JSON.stringify(first)}${didYouMean(first, NAMES)}`, TRY_HELP)
}
