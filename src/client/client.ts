import { readOrder } from './arguments.ts'
import { connect, list, release } from './commands.ts'
import { clientHelpOf } from './help.ts'
import { reserve, type Setting } from './reserve.ts'
import { type Environment, readTarget, type Target } from './service/credentials.ts'
import { ClientFailure, misused } from './service/failure.ts'
import { LIMITS, type Limits } from './service/limits.ts'
import { type Output, say } from './service/output.ts'
import { makeService } from './service/service.ts'
import { CLIENT_VERSION } from './version.ts'

/** Reads the arguments of a command, and returns what it does. */
type Prepare = (args: readonly string[]) => (setting: Setting) => Promise<number>

const COMMANDS: Readonly<Record<string, Prepare>> = {
  reserve: (args) => {
    const order = readOrder(args)
    return (setting) => reserve(order, setting)
  },
  connect,
  release,
  list,
}

/** Whether help is asked for, before what belongs to COMMAND. */
const asksHelp = (args: readonly string[]): boolean => {
  const end = args.indexOf('--')
  return args.slice(0, end === -1 ? undefined : end).some((arg) => arg === '--help' || arg === '-h')
}

interface ClientOptions {
  readonly limits?: Limits
  /** Finds the service. */
  readonly findTarget?: (environment: Environment) => Target
  /** How help calls the program. */
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
  { limits = LIMITS, findTarget = readTarget, program }: ClientOptions = {},
): Promise<number> => {
  const [name, ...rest] = args
  if (name === 'help' || asksHelp(args)) {
    output.stdout(clientHelpOf(name === 'help' ? rest[0] : name, program))
    return 0
  }
  if (name === '--version' || name === '-V') {
    output.stdout(`berth ${CLIENT_VERSION}\n`)
    return 0
  }
  try {
    if (name === undefined) throw misused('a command is missing; see --help')
    const prepare = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
    if (prepare === undefined) throw misused(`there is no command ${JSON.stringify(name)}; see --help`)
    const run = prepare(rest)
    const target = findTarget(environment)
    const service = makeService(target, limits, output)
    return await run({ service, isOperator: target.socketPath !== undefined, limits, output, environment })
  } catch (error) {
    if (!(error instanceof ClientFailure)) throw error
    say(output, error.message)
    return error.exitCode
  }
}
