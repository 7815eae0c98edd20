import { type Order, RESERVE_OPTIONS, readOrder } from './arguments.ts'
import type { CommandArguments, CommandHelp } from './command.ts'
import { type KeptReservation, whileKept } from './keep.ts'
import { type Asking, giveBack, obtainMachine, waitForPort } from './machine.ts'
import { checkExecutable } from './programs/find.ts'
import { endProgram, endRest, type Run, startProgram } from './programs/program.ts'
import { handleSignals, type Signals } from './programs/signals.ts'
import type { Environment } from './service/credentials.ts'
import { say } from './service/output.ts'
import { acceptedBody, idOf } from './service/service.ts'

export interface Setting extends Asking {
  /** Whether the service is asked over its socket, as nobody in particular. */
  readonly isOperator: boolean
  /** The variables of COMMAND, before those of the reservation. */
  readonly environment: Environment
}

export interface ClientCommand extends CommandHelp {
  /** Reads the arguments, and returns what it does. @throws ClientFailure */
  readonly prepare: (args: CommandArguments) => (setting: Setting) => Promise<number>
}

/** The environment of COMMAND: it gets the machine, and not what gives access to the service. */
const environmentFor = (
  { id, reservation }: KeptReservation,
  { host, port }: { host: string; port: number },
  own: Environment,
) => {
  const { BERTH_TOKEN: _token, BERTH_CREDENTIALS_FILE: _file, ...rest } = own
  const { sut_id } = reservation.body
  return { ...rest, SUT_HOST: host, SUT_PORT: String(port), SUT_ID: idOf(sut_id), RESERVATION_ID: id }
}

/** Runs COMMAND until it ends, or the reservation is lost. Returns its exit code. */
const runProgram = async (run: Run, lost: AbortSignal, { limits, output }: Setting, signals: Signals) => {
  const program = startProgram(run, output.descriptors ?? [])
  signals.passTo(program)
  let ending: Promise<void> | undefined
  lost.addEventListener('abort', () => {
    ending = endProgram(program, limits)
  })
  const exitCode = await program.ended
  await (ending ?? endRest(program, limits))
  program.close()
  return exitCode
}

/** Runs COMMAND on the machine once its port is open. Returns its exit code. */
const runOn = (
  held: KeptReservation,
  command: readonly string[],
  setting: Setting,
  signals: Signals,
): Promise<number> => {
  const { limits, environment } = setting
  return whileKept(setting, held, async (lost) => {
    const stop = AbortSignal.any([lost, signals.interrupted])
    const place = await waitForPort(setting, held.id, stop)
    stop.throwIfAborted()
    const env = environmentFor(held, place, environment)
    const isGrouped = !signals.isWatched && process.platform !== 'win32'
    const { ignoresHangup } = signals
    const run = { line: command, env, isGrouped, ignoresHangup, killAfter: limits.killMs / 1000 }
    return runProgram(run, lost, setting, signals)
  })
}

/** Reserves a machine, runs COMMAND on it, and gives it back however COMMAND ends. Returns the exit code. */
const reserve = async (order: Order, setting: Setting): Promise<number> => {
  const { service, output, environment } = setting
  const [program = ''] = order.command
  if (process.platform !== 'win32') await checkExecutable(program, environment.PATH)
  const signals = handleSignals(environment)
  try {
    const { interrupted } = signals
    const id = await obtainMachine(setting, order, interrupted)
    const { keepalive, extendBy, command } = order
    const path = `/api/sut_reservation/${id}`
    try {
      const reservation = await service.get(`${path}?include=names`, { signal: interrupted })
      const { sut_name, end_time } = acceptedBody(reservation)
      say(output, `reserved ${sut_name} until ${end_time}, reservation ${id}`)
      return await runOn({ id, keepalive, extendBy, reservation }, command, setting, signals)
    } finally {
      await giveBack(setting, { id, keepalive })
    }
  } catch (error) {
    return signals.exitCode() ?? Promise.reject(error)
  } finally {
    signals.close()
  }
}

export const NEEDS = 'Needs BERTH_URL, and BERTH_TOKEN or BERTH_CREDENTIALS_FILE.'

export const reserveCommand: ClientCommand = {
  name: 'reserve',
  options: RESERVE_OPTIONS,
  tail: 'COMMAND [ARGUMENT]...',
  summary: 'reserves a machine, runs a command on it, and gives it back',
  example: "reserve --match os=windows --match tag.rack=3,4 --for 30m -- sh -c 'ping -c 1 $SUT_HOST'",
  help: `
Reserves any machine that fits, waits until its port is open, runs COMMAND, and gives the machine back when COMMAND ends
or is killed. Signals are passed on to COMMAND, and without a terminal to all that it has started.

COMMAND gets SUT_HOST, SUT_PORT, SUT_ID and RESERVATION_ID in its environment, and neither BERTH_TOKEN nor
BERTH_CREDENTIALS_FILE. When the reservation is no longer in force, COMMAND and what it has started get SIGTERM, and ten
seconds later SIGKILL. Lines that begin with "berth: " are not COMMAND's.

${NEEDS}`,
  prepare: (args) => {
    const order = readOrder(args)
    return (setting) => reserve(order, setting)
  },
}
