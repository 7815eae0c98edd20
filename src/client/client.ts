import { type CommandHelp, helpOf, listCommands, parseArguments } from './command.ts'
import { connectCommand, listCommand, releaseCommand } from './commands.ts'
import { type ClientCommand, reserveCommand } from './reserve.ts'
import { type Environment, readTarget, type Target } from './service/credentials.ts'
import { LIMITS, type Limits } from './service/limits.ts'
import { ClientFailure, misused, type Output, say } from './service/output.ts'
import { makeService } from './service/service.ts'

const CLIENT_VERSION = '2.1.0'

const COMMANDS: readonly ClientCommand[] = [reserveCommand, connectCommand, releaseCommand, listCommand]
export const CLIENT_COMMANDS: readonly CommandHelp[] = COMMANDS

/** The exit codes of `reserve`, and those of the client that others have. */
const EXIT_CODES = `Exit codes: COMMAND's own; 64 wrong usage; 69 the service or the machine is out of reach; 75 no machine is free in time;
76 the reservation is no longer in force; 77 refused; 126 COMMAND cannot be run; 127 there is no COMMAND; 128 + n for
signal n.`

const overview = (program: string): string => `berth: reserves the machines of a test lab

  ${program} COMMAND

${listCommands(COMMANDS)}  COMMAND --help  shows more about a command
  --version       prints the version

Needs BERTH_URL, and BERTH_TOKEN or BERTH_CREDENTIALS_FILE: a file of mode 0600 with one line, a token, or a name, a
colon and a password.

${EXIT_CODES}
`

interface ClientOptions {
  readonly limits?: Limits
  readonly findTarget?: (environment: Environment) => Target
  readonly program?: string | undefined
}

/**
 * Runs the client. Resolves to its exit code.
 *
 * @param args the name of a command, and its arguments
 * @param environment names the service, and is that of the programs that are run
 */
export const runClient = async (
  args: readonly string[],
  environment: Environment,
  output: Output,
  { limits = LIMITS, findTarget = readTarget, program = 'node berth.mjs' }: ClientOptions = {},
): Promise<number> => {
  const [name = '', ...rest] = args
  try {
    if (name === '') throw misused('a command is missing; see --help')
    if (['help', '--help', '-h'].includes(name)) {
      if (rest.length > 0) return await runClient([...rest, '--help'], environment, output, { program })
      output.stdout(overview(program))
      return 0
    }
    if (name === '--version' || name === '-V') {
      output.stdout(`berth ${CLIENT_VERSION}\n`)
      return 0
    }
    const command = COMMANDS.find((each) => each.name === name)
    if (command === undefined) throw misused(`there is no command ${JSON.stringify(name)}; see --help`)
    const parsed = parseArguments(command, rest)
    if (typeof parsed === 'string') throw misused(parsed)
    if (parsed.asksHelp) {
      output.stdout(helpOf(command, program, program, EXIT_CODES))
      return 0
    }
    const run = command.prepare(parsed)
    const target = findTarget(environment)
    const service = makeService(target, limits, output)
    return await run({ service, isOperator: target.socketPath !== undefined, limits, output, environment })
  } catch (error) {
    if (!(error instanceof ClientFailure)) throw error
    say(output, error.message)
    return error.exitCode
  }
}
