import * as E from 'fp-ts/lib/Either.js'
import { type Config, Misconfigured, readConfig } from '../app/config/config.ts'
import { didYouMean } from '../app/config/suggest.ts'
import { type CommandHelp, helpOf, listCommands, parseArguments, usageOf } from '../client/command.ts'
import { version } from '../http/documents/version.ts'
import {
  type Command,
  DONE,
  MISUSED,
  makePrintable,
  reportError,
  type Terminal,
  WrongUsage,
} from './terminal/command.ts'

/** How to run a command in a checkout. */
const PROGRAM = 'npx berth'

const EXIT_CODES = 'Exit codes: 0 done; 1 refused, failed or a difference found; 2 wrong command or configuration.'

const serveCommand: Command = {
  name: 'serve',
  summary: 'runs the service',
  example: 'serve',
  help: `
Runs the service until SIGTERM or SIGINT. Requests in flight are answered first; a second signal ends it at once.
Configuration is in environment variables named BERTH_..., which the guide lists. Exit code 1 also means that another
process uses the data or that the disk has failed: restart it once the disk works.`,
  run: async (_, config, terminal) => {
    const { serve } = await import('../app/serve.ts')
    // A half-dead socket or disk may still hold the event loop open after the service has stopped.
    process.exit(await serve(config).catch((error: unknown) => reportError(error, terminal)))
  },
}

/** Each command made by hand. A command loads only its own modules: all of them take a quarter second. */
const BY_HAND: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => serveCommand,
  'user import': async () => (await import('./import/imports.ts')).userImportCommand,
  'sut import': async () => (await import('./import/imports.ts')).sutImportCommand,
  history: async () => (await import('./log/history.ts')).historyCommand,
  'report usage': async () => (await import('./log/report.ts')).usageReportCommand,
  'report demand': async () => (await import('./log/report.ts')).demandReportCommand,
  export: async () => (await import('./log/export.ts')).exportCommand,
  backup: async () => (await import('./log/copies.ts')).backupCommand,
  copy: async () => (await import('./log/copies.ts')).copyCommand,
  replay: async () => (await import('./log/checks.ts')).replayCommand,
  verify: async () => (await import('./log/checks.ts')).verifyCommand,
  checkpoint: async () => (await import('./log/audit.ts')).checkpointCommand,
  'audit key': async () => (await import('./log/audit.ts')).auditKeyCommand,
  'vault rotate': async () => (await import('./log/keys.ts')).vaultRotateCommand,
  'vault status': async () => (await import('./log/keys.ts')).vaultStatusCommand,
  'vault forget': async () => (await import('./log/keys.ts')).vaultForgetCommand,
  client: async () => (await import('./log/keys.ts')).clientCommand,
}

/** The commands of the client that pipelines download. */
const OF_CLIENT = ['reserve', 'release', 'list', 'connect']

/** All commands: those of the operations of the service take a quarter second to load too. */
const loadAll = async () => ({
  byHand: await Promise.all(Object.values(BY_HAND).map((load) => load())),
  derived: (await import('./operations/operation-commands.ts')).operationCommands,
  ofClient: (await import('../client/client.ts')).CLIENT_COMMANDS,
})

const overview = async (): Promise<string> => {
  const { byHand, derived, ofClient } = await loadAll()
  const requests = derived.map(({ name, summary }) => `    ${name.padEnd(24)}${summary}\n`)
  return `berth: shares the machines of a test lab

  ${PROGRAM} COMMAND

${listCommands([...byHand, ...ofClient])}  help COMMAND    shows more about a command, as COMMAND --help does
  --version, -V   prints the version

  Requests to the service:
${requests.join('')}
Configuration is in environment variables named BERTH_...; the chapter on configuration in the guide lists them.
${EXIT_CODES}
`
}

type Environment = Readonly<Record<string, string | undefined>>

const configOf = (environment: Environment): Config => {
  const config = readConfig(environment)
  if (E.isLeft(config)) throw new Misconfigured(config.left)
  return config.right
}

/** Prints what is wrong with the command line, and what is right. Returns the exit code. */
const explainMisuse = ({ stderr }: Terminal, why: string, usage: string): number => {
  stderr(`berth: ${why}\n${usage}\n`)
  return MISUSED
}

const suggestOption = (why: string, { options = {} }: CommandHelp): string => {
  const unknown = /^Unknown option '(--[^']+)'$/.exec(why)?.[1] ?? ''
  const names = [...Object.keys(options), 'help'].map((name) => `--${name}`)
  return didYouMean(unknown, names)
}

const runCommand = async (
  command: Command,
  args: readonly string[],
  environment: Environment,
  terminal: Terminal,
): Promise<number> => {
  try {
    const parsed = parseArguments(command, args)
    if (typeof parsed === 'string') throw new WrongUsage(parsed + suggestOption(parsed, command))
    if (parsed.asksHelp) {
      terminal.stdout(helpOf(command, 'berth', PROGRAM, EXIT_CODES))
      return DONE
    }
    const config = configOf(environment)
    if (command.isOfFiles && config.client !== undefined)
      terminal.stderr(`berth: ${command.name} does not ask the service at BERTH_URL: it works on files\n`)
    return (await command.run(parsed, config, terminal)) ?? DONE
  } catch (error) {
    if (error instanceof WrongUsage) return explainMisuse(terminal, error.message, `usage: ${usageOf(command)}`)
    throw error
  }
}

/** Runs a command of the client that pipelines download. Only `connect` finds the service that runs on BERTH_DATA. */
const runOfClient = async (args: readonly string[], environment: Environment, terminal: Terminal): Promise<number> => {
  const [{ runClient }, { targetOf }] = await Promise.all([
    import('../client/client.ts'),
    import('./terminal/service.ts'),
  ])
  const findTarget = (variables: Environment) => targetOf(configOf(variables))
  return runClient(args, environment, terminal, { program: PROGRAM, ...(args[0] === 'connect' && { findTarget }) })
}

/** Explains a first word that is no command, or that begins several, such as `vault rotate` and `vault status`. */
const explainUnknown = async ([first = '', second]: readonly string[], terminal: Terminal): Promise<number> => {
  const { byHand, derived } = await loadAll()
  const all = [...byHand, ...derived]
  const group = all.filter(({ name }) => name.startsWith(`${first} `))
  const unknown = (typed: string, meant: string, names: readonly string[]): string =>
    `there is no command ${JSON.stringify(typed)}${didYouMean(meant, names)}`
  if (group.length === 0) {
    const names = all.flatMap(({ name }) => [name, ...(name.includes(' ') ? [name.replace(/ .*/, '')] : [])])
    const why = unknown(first, first, ['help', ...OF_CLIENT, ...names])
    return explainMisuse(terminal, why, `try: ${PROGRAM} help`)
  }
  const usage = group.map((each) => `usage: ${usageOf(each)}\n         ${each.summary}`).join('\n')
  if (second === undefined) return explainMisuse(terminal, 'a command is missing', usage)
  if (second === '--help' || second === '-h') {
    terminal.stdout(`${usage}\n${EXIT_CODES}\n`)
    return DONE
  }
  const names = group.map(({ name }) => name)
  return explainMisuse(terminal, unknown(`${first} ${second}`, second, names), usage)
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
  if (OF_CLIENT.includes(first)) return runOfClient(args, environment, terminal)
  for (const words of [1, 2]) {
    const load = Object.entries(BY_HAND).find(([name]) => name === args.slice(0, words).join(' '))?.[1]
    if (load !== undefined) return runCommand(await load(), args.slice(words), environment, terminal)
  }
  const { operationCommands } = await import('./operations/operation-commands.ts')
  const operation = operationCommands.find(({ name }) => name === args.slice(0, 2).join(' '))
  if (operation !== undefined) return runCommand(operation, args.slice(2), environment, terminal)
  return explainUnknown(args, terminal)
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
