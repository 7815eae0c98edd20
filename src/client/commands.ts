import { placeOf, portProblemOf } from './machine.ts'
import { findWay } from './programs/find.ts'
import { runViewer } from './programs/program.ts'
import { type ClientCommand, NEEDS, type Setting } from './reserve.ts'
import { type Output, refused, say, unreachable, visibleLine } from './service/output.ts'
import { type Answer, acceptedBody, idOf, type Members, type RemoteService } from './service/service.ts'

/** Objects in an answer. */
const PAGE_SIZE = 1_000

/** A list, page by page, the newest first. */
const readList = async (service: RemoteService, kind: string, query: object): Promise<readonly Members[]> => {
  const all: Members[] = []
  for (;;) {
    const last = all.at(-1)
    const search = new URLSearchParams({ limit: String(PAGE_SIZE), ...query, ...(last && { before: idOf(last._id) }) })
    const page = acceptedBody(await service.get(`/api/${kind}?${search}`))[`${kind}s`]
    if (Array.isArray(page)) all.push(...(page as readonly Members[]))
    if (!Array.isArray(page) || page.length < PAGE_SIZE) return all
  }
}

const readMe = async (service: RemoteService): Promise<{ readonly user_id: string; readonly now: number }> => {
  const me = await service.get('/api/user/me')
  return { user_id: idOf(acceptedBody(me)._id), now: me.now }
}

const listOwn = async (service: RemoteService): Promise<readonly Members[]> => {
  const { user_id, now } = await readMe(service)
  const query = { include: 'names,state', user_id, from: new Date(now).toISOString() }
  const listed = await readList(service, 'sut_reservation', query)
  const start = ({ start_time }: Members): number => Date.parse(String(start_time))
  return listed.filter(({ state }) => state === 'running' || state === 'ahead').sort((a, b) => start(a) - start(b))
}

/** One's own requests that wait, the oldest first. A user has at most a hundred. */
const listWaiting = async (service: RemoteService): Promise<readonly Members[]> => {
  const { user_id } = await readMe(service)
  return (await readList(service, 'sut_request', { status: 'waiting', user_id })).toReversed()
}

/** Letters with accents are written in one way or the other by terminals, by file systems and by people. */
const fold = (name: string): string => name.normalize('NFC').toLowerCase()

/** The id of a reservation: an id as it is, or that of one's own running reservation of the SUT with this name. */
const findReservation = async ({ service, isOperator }: Setting, typed: string): Promise<string> => {
  if (/^[0-9a-f]{24}$/.test(typed)) return typed
  const own = isOperator ? {} : { user_id: (await readMe(service)).user_id }
  const listed = await readList(service, 'sut_reservation', { current: 'true', include: 'names', ...own })
  const running = listed.filter(({ sut_name }) => fold(String(sut_name)) === fold(typed))
  const [found] = running
  const whose = isOperator ? 'nobody has a' : 'you have no'
  if (found === undefined) throw refused(`${whose} running reservation of ${JSON.stringify(typed)}`)
  if (running.length === 1) return idOf(found._id)
  throw refused(`several SUTs have this name; their reservations are ${running.map(({ _id }) => _id).join(', ')}`)
}

/** Seconds: a port opens up to one after its reservation begins. */
const WAIT = 10

/** Every answer in JSON has the same meaning when characters are escaped. */
const print = ({ stdout }: Output, line: string): void => stdout(`${visibleLine(line)}\n`)

const RESERVATION_MEANS = 'RESERVATION is an id, or the name of a SUT for your own running reservation of it.'

export const connectCommand: ClientCommand = {
  name: 'connect',
  operands: ['RESERVATION'],
  options: { exec: { type: 'boolean' }, json: { type: 'boolean' } },
  summary: 'prints how to connect to a reserved machine, or starts the viewer',
  example: 'connect lab-1 --exec',
  help: `
${RESERVATION_MEANS} Waits up to 10 s until the port is
open, and prints host, port and a command that connects, separated by tabs. With --exec it starts the viewer that is
installed instead: vncviewer, xtigervncviewer, gvncviewer or remote-viewer for vnc; xfreerdp3, xfreerdp, wlfreerdp or
rdesktop for rdp; nc, ncat or telnet for tcp; and exits with its code.

With --json it prints what GET /api/sut_reservation/<id>/connection answers.`,
  prepare:
    ({ operands: [typed = ''], options }) =>
    async (setting) => {
      const { service, isOperator, output, environment } = setting
      const id = await findReservation(setting, typed)
      const answer = await service.get(`/api/sut_reservation/${id}/connection?wait=${WAIT}`, { wait: WAIT })
      const connection = acceptedBody(answer)
      if (options.json) print(output, JSON.stringify(connection))
      const place = placeOf(connection)
      if (place === undefined) {
        const why = portProblemOf(connection) ?? 'the reservation has not begun or is over'
        throw unreachable(`the port is not open: ${why}`)
      }
      // The socket does not show from where the holder will connect.
      if (connection.bound_here !== true && !isOperator) {
        const binding = `POST /api/sut_reservation/${id}/update binds it to this address`
        say(output, `connections from here may be refused; ${binding}`)
      }
      const way = await findWay(String(connection.sut_type), place, environment.PATH ?? '')
      if (!options.exec) {
        if (!options.json) print(output, [place.host, place.port, way.line.join(' ')].join('\t'))
        return 0
      }
      if (way.isInstalled) return runViewer(way.line)
      throw refused(`no viewer is installed; one of these would do: ${way.programs.join(', ')}`)
    },
}

/** Withdraws a request, or gives back what it was granted meanwhile. */
const withdraw = async (service: RemoteService, id: string): Promise<Answer> => {
  const withdrawn = await service.post(`/api/sut_request/${id}/withdraw`)
  if (withdrawn.body.code !== 'request_granted') return withdrawn
  return service.post(`/api/sut_reservation/${idOf(withdrawn.body.sut_reservation_id)}/cancel`)
}

export const releaseCommand: ClientCommand = {
  name: 'release',
  operands: ['RESERVATION'],
  summary: 'gives a machine back, or withdraws a request',
  example: 'release lab-1',
  help: `
${RESERVATION_MEANS} A reservation that has not begun is
cancelled. The id of a request that waits withdraws it.

${NEEDS}`,
  prepare:
    ({ operands: [typed = ''] }) =>
    async (setting) => {
      const { service } = setting
      const id = await findReservation(setting, typed)
      const released = await service.post(`/api/sut_reservation/${id}/cancel`)
      const withdrawn = released.body.code === 'reservation_not_found' ? await withdraw(service, id) : released
      // Neither has the id: a reservation is what was most likely meant.
      acceptedBody(withdrawn.body.code === 'request_not_found' ? released : withdrawn)
      return 0
    },
}

export const listCommand: ClientCommand = {
  name: 'list',
  options: { json: { type: 'boolean' } },
  summary: 'lists your reservations that are not over, and requests that wait',
  example: 'list --json',
  help: `
Prints id, name of the SUT, start and end of reservations, separated by tabs, by start. Then id, id of the SUT or
criteria, "waiting" and when it expires of requests that wait, the oldest first. With --json it prints reservations and
requests as GET /api/sut_reservation and GET /api/sut_request do.

${NEEDS}`,
  prepare:
    ({ options }) =>
    async ({ service, output }) => {
      const [reservations, requests] = [await listOwn(service), await listWaiting(service)]
      if (options.json) {
        print(output, JSON.stringify([...reservations, ...requests]))
        return 0
      }
      for (const { _id, sut_name, start_time, end_time } of reservations)
        print(output, [_id, sut_name, start_time, end_time].join('\t'))
      for (const { _id, sut_id, match, expires_at } of requests)
        print(output, [_id, sut_id ?? JSON.stringify(match), 'waiting', expires_at].join('\t'))
      return 0
    },
}
