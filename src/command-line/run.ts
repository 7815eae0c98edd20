import { inspect } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import { keyChecks } from '../app/config/checks/keys.ts'
import { readConfig, withoutClient } from '../app/config/config.ts'
import { explainEnd } from '../files/expected-error.ts'
import { version } from '../http/documents/guide/version.ts'
import {
  type ClientCommand,
  type Command,
  type CommandHelp,
  DONE,
  MISUSED,
  Misused,
  REFUSED,
  type Terminal,
  WrongUsage,
} from './terminal/command.ts'
import { EXIT_CODES, groupUsageOf, helpOf, overviewOf, TRY_HELP, usageOf } from './terminal/help.ts'
import { parse } from './terminal/parse.ts'
import { makePrintable } from './terminal/printable.ts'
import { didYouMean } from './terminal/suggest.ts'

/** Each command made by hand, by the words that call it. A command loads only its own modules: all of them take a quarter second. */
const COMMANDS: Readonly<Record<string, () => Promise<Command | ClientCommand>>> = {
  serve: async () => (await import('./serve.ts')).serveCommand,
  'user import': async () => (await import('./import/users.ts')).userImportCommand,
  backup: async () => (await import('./log/backup.ts')).backupCommand,
  history: async () => (await import('./log/history.ts')).historyCommand,
  replay: async () => (await import('./log/replay.ts')).replayCommand,
  verify: async () => (await import('./log/verify.ts')).verifyCommand,
  checkpoint: async () => (await import('./log/checkpoint.ts')).checkpointCommand,
  proof: async () => (await import('./log/proof.ts')).proofCommand,
  'audit key': async () => (await import('./keys/audit-key.ts')).auditKeyCommand,
  export: async () => (await import('./export/export.ts')).exportCommand,
  'vault rotate': async () => (await import('./keys/vault-rotate.ts')).vaultRotateCommand,
  'vault status': async () => (await import('./keys/vault-status.ts')).vaultStatusCommand,
  'vault forget': async () => (await import('./keys/vault-forget.ts')).vaultForgetCommand,
  reserve: async () => (await import('./pipelines.ts')).reserveCommand,
  release: async () => (await import('./pipelines.ts')).releaseCommand,
  list: async () => (await import('./pipelines.ts')).listCommand,
  connect: async () => (await import('./pipelines.ts')).connectCommand,
  'sut import': async () => (await import('./import/suts.ts')).sutImportCommand,
  client: async () => (await import('./keys/client-pseudonym.ts')).clientCommand,
  copy: async () => (await import('./log/copy.ts')).copyCommand,
}
const BY_HAND = Object.keys(COMMANDS)

/** The other commands, one for each operation of the service: loading them takes a quarter second too. */
const loadOperations = async (): Promise<Readonly<Record<string, Command>>> =>
  (await import('./operations/operation-commands.ts')).operationCommands(BY_HAND)

const isByHand = (name: string): boolean => Object.hasOwn(COMMANDS, name)

const load = (name: string): Promise<Command | ClientCommand> =>
  (COMMANDS[name] as () => Promise<Command | ClientCommand>)()

const loadAll = (names: readonly string[]): Promise<readonly CommandHelp[]> => Promise.all(names.map(load))

const overview = async (): Promise<string> => overviewOf(await loadAll(BY_HAND), Object.values(await loadOperations()))

/** Every word or pair of words that a command line may start with. */
const prefixes = (names: readonly string[]): readonly string[] => {
  const groups = new Set(
    names.map((name) => name.split(' ')).flatMap(([group = '', ...rest]) => (rest.length > 0 ? [group] : [])),
  )
  return ['help', ...names, ...groups]
}

type Environment = Readonly<Record<string, string | undefined>>

/** Prints what is wrong with the command line, and what is right. Returns the exit code. */
const explainMisuse = ({ stderr }: Terminal, why: string, usage: string): number => {
  stderr(`berth: ${why}\n${usage}\n`)
  return MISUSED
}

const runCommand = async (
  command: Command | ClientCommand,
  args: readonly string[],
  environment: Environment,
  terminal: Terminal,
) => {
  if ('runClient' in command) return command.runClient(args, environment, terminal)
  try {
    const parsed = parse(command, args)
    if (parsed.help) {
      terminal.stdout(helpOf(command))
      return DONE
    }
    const config = readConfig(command.asksNoService ? withoutClient(environment) : environment, keyChecks)
    if (E.isLeft(config)) throw new Misused(config.left)
    if (command.isOfFiles && config.right.client !== undefined) {
      terminal.stderr(`berth: ${command.name} does not ask the service at BERTH_URL: it works on files\n`)
    }
    return (await command.run(parsed, config.right, terminal)) ?? DONE
  } catch (error) {
    if (error instanceof WrongUsage) return explainMisuse(terminal, error.message, `usage: ${usageOf(command)}`)
    throw error
  }
}

const runInGroup = async (
  group: readonly CommandHelp[],
  [first = '', second]: readonly string[],
  terminal: Terminal,
): Promise<number> => {
  const usage = groupUsageOf(group)
  if (second === '--help' || second === '-h') {
    terminal.stdout(`${usage}\n${EXIT_CODES}\n`)
    return DONE
  }
  if (second === undefined) return explainMisuse(terminal, 'a command is missing', usage)
  const names = group.map(({ name }) => name)
  return explainMisuse(
    terminal,
    `${JSON.stringify(second)} is not a ${first} command${didYouMean(second, names)}`,
    usage,
  )
}

const runArguments = async (args: readonly string[], environment: Environment, terminal: Terminal): Promise<number> => {
  const [first, ...rest] = args
  if (first === undefined) return explainMisuse(terminal, 'a command is missing', (await overview()).trimEnd())
  if (['help', '--help', '-h'].includes(first)) {
    if (rest.length > 0) return runArguments([...rest, '--help'], environment, terminal)
    terminal.stdout(await overview())
    return DONE
  }
  if (first === '--version' || first === '-V') {
    terminal.stdout(`berth ${version()}\n`)
    return DONE
  }
  const [pair, ...others] = [args.slice(0, 2).join(' '), ...args.slice(2)]
  if (isByHand(first)) return runCommand(await load(first), rest, environment, terminal)
  if (isByHand(pair)) return runCommand(await load(pair), others, environment, terminal)
  const operations = await loadOperations()
  const operation = Object.hasOwn(operations, pair) ? operations[pair] : undefined
  if (operation !== undefined) return runCommand(operation, others, environment, terminal)
  const inGroup = (name: string): boolean => name.startsWith(`${first} `)
  const group = [
    ...(await loadAll(BY_HAND.filter(inGroup))),
    ...Object.values(operations).filter((each) => inGroup(each.name)),
  ]
  if (group.length > 0) return runInGroup(group, args, terminal)
  const suggestion = didYouMean(first, prefixes([...BY_HAND, ...Object.keys(operations)]))
  return explainMisuse(terminal, `there is no command ${JSON.stringify(first)}${suggestion}`, TRY_HELP)
}

/** Prints why a command ended, and returns its exit code. Only a fault of the program shows its stack. */
const reportError = (error: unknown, terminal: Terminal): number => {
  const { exitCode, sentences } = explainEnd(error) ?? { exitCode: REFUSED, sentences: undefined }
  terminal.stderr(sentences?.map((sentence) => `berth: ${sentence}\n`).join('') ?? `${inspect(error)}\n`)
  return exitCode
}

/** Runs the arguments of `berth`. Resolves to the exit code. */
export const runCommandLine = async (
  args: readonly string[],
  environment: Environment,
  terminal: Terminal,
): Promise<number> => {
  const printing = makePrintable(terminal)
  try {
    return await runArguments(args, environment, printing)
  } catch (error) {
    return reportError(error, printing)
  }
}
