import type * as t from 'io-ts'
import { portProblemOf } from '../../client/hold.ts'
import { findWay, runViewer } from '../../client/programs/viewers.ts'
import type { Config } from '../../config/config.ts'
import { address, boolean, listOf, opaqueId, orNull } from '../../domain/codec/codec.ts'
import { listenPort } from '../../domain/events/fields.ts'
import { SutType } from '../../domain/events/sut.ts'
import { isAssignedId } from '../../domain/values/ids.ts'
import { answer, callService, line } from '../service/call.ts'
import { type Command, CommandFailure, DONE } from '../terminal/command.ts'
import { lookUpSut } from './find.ts'

const Reservations = answer({ sut_reservations: listOf(answer({ _id: opaqueId }, {})) }, {})
const Me = answer({ _id: opaqueId }, {})

/**
 * The id of the reservation that a command line means: an id, or else one's own running reservation of the SUT with that
 * name. The control socket belongs to nobody, so there it is anybody's.
 */
const lookUpReservation = async (config: Config, typed: string): Promise<string> => {
  // An id of a SUT is meant by nobody who connects to a reservation.
  if (isAssignedId(typed)) return typed
  const sut = await lookUpSut(config, typed)
  const query = new URLSearchParams({ sut_id: sut._id, current: 'true', limit: '2' })
  if (config.client !== undefined) {
    const me = await callService(config, { method: 'GET', path: '/api/user/me', answer: Me })
    query.set('user_id', me._id)
  }
  const path = `/api/sut_reservation?${query}`
  const [running] = (await callService(config, { method: 'GET', path, answer: Reservations })).sut_reservations
  if (running !== undefined) return running._id
  const whose = config.client === undefined ? 'nobody has a' : 'you have no'
  throw new CommandFailure(`${whose} running reservation of ${JSON.stringify(typed)}`)
}

/** Host and port become arguments of a program. No address begins with a hyphen or has a space. */
const Connection = answer(
  {
    ...{ host: orNull(address), port: listenPort, sut_type: SutType },
    ...{ open: boolean, bound: boolean, bound_here: boolean },
  },
  { last_error: orNull(answer({ cause: line }, {})) },
)
type Connection = t.TypeOf<typeof Connection>

/** Seconds: a port opens up to one after its reservation begins. */
const WAIT = 10

const findProblem = (connection: Connection): string | undefined => {
  if (connection.host === null) return 'this instance does not forward the SUT; ask one that does'
  if (connection.open) return undefined
  return `the port is not open: ${portProblemOf({ ...connection }) ?? 'the reservation has not begun or is over'}`
}

export const connectCommand: Command = {
  name: 'connect',
  operands: ['RESERVATION'],
  options: { exec: { type: 'boolean' }, json: { type: 'boolean' } },
  summary: 'prints how to connect to a reserved SUT, or starts the viewer',
  example: 'connect lab-1 --exec',
  help: `
RESERVATION is an id, or the name of a SUT for your own running reservation of it. Prints host, port and a command that
connects, separated by tabs. With --exec it starts the viewer that is installed
instead: vncviewer, xtigervncviewer, gvncviewer or remote-viewer for vnc; xfreerdp3, xfreerdp, wlfreerdp or rdesktop for
rdp; nc, ncat or telnet for tcp; and exits with its code. Exits with 1 if the port has not opened within 10 s.

It asks the service on BERTH_DATA, or the one at BERTH_URL.

With --json it prints what GET /api/sut_reservation/<id>/connection answers.`,
  run: async ({ operands: [typed = ''], options }, config, terminal) => {
    const id = await lookUpReservation(config, typed)
    const path = `/api/sut_reservation/${encodeURIComponent(id)}/connection?wait=${WAIT}`
    const connection = await callService(config, { method: 'GET', path, answer: Connection })
    const { host, port, sut_type, bound_here } = connection
    if (options.json) terminal.stdout(`${JSON.stringify(connection)}\n`)
    const problem = findProblem(connection)
    if (problem !== undefined || host === null) throw new CommandFailure(String(problem))
    // The control socket does not show from where the holder will connect.
    if (!bound_here && config.client !== undefined) {
      terminal.stderr(
        `berth: connections from here may be refused: the reservation is bound to ${connection.bound ? 'another' : 'no'} address; POST /api/sut_reservation/${id}/update binds it to this one\n`,
      )
    }
    const way = await findWay(sut_type, { host, port }, process.env.PATH ?? '')
    if (!options.exec) {
      if (!options.json) terminal.stdout(`${host}\t${port}\t${way.line.join(' ')}\n`)
      return DONE
    }
    if (way.isInstalled) return runViewer(way.line)
    throw new CommandFailure(`no viewer is installed; one of these would do: ${way.programs.join(', ')}`)
  },
}
