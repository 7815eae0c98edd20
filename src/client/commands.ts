import { parseArguments } from './arguments.ts'
import { placeOf, portProblemOf } from './hold.ts'
import { findWay, runViewer } from './programs/viewers.ts'
import type { Setting } from './reserve.ts'
import { ClientFailure, EXIT, misused, refused } from './service/failure.ts'
import { type Output, say, visibleLine } from './service/output.ts'
import { type Answer, acceptedBody, idOf, type Members, type RemoteService } from './service/service.ts'

/** The whole list of an answer. */
const listIn = (answer: Answer, name: string): readonly Members[] => {
  const listed = acceptedBody(answer)[name]
  return Array.isArray(listed) ? (listed as readonly Members[]) : []
}

const readMe = async (service: RemoteService): Promise<{ readonly userId: string; readonly now: number }> => {
  const me = await service.get('/api/user/me')
  return { userId: idOf(acceptedBody(me)._id), now: me.now }
}

/** One's own reservations that are not over, by their start. */
const listOwn = async (service: RemoteService): Promise<readonly Members[]> => {
  const { userId, now } = await readMe(service)
  const query = new URLSearchParams({ include: 'names,state', limit: '1000', user_id: userId })
  query.set('from', new Date(now).toISOString())
  const listed = listIn(await service.get(`/api/sut_reservation?${query}`), 'sut_reservations')
  const start = ({ start_time }: Members): number => Date.parse(String(start_time))
  return listed.filter(({ state }) => state === 'running' || state === 'ahead').sort((a, b) => start(a) - start(b))
}

/** One's own requests that wait, the oldest first. A user has at most a hundred. */
const listWaiting = async (service: RemoteService): Promise<readonly Members[]> => {
  const { userId } = await readMe(service)
  const query = new URLSearchParams({ status: 'waiting', limit: '1000', user_id: userId })
  return [...listIn(await service.get(`/api/sut_request?${query}`), 'sut_requests')].reverse()
}

/** Letters with accents are written in one way or the other by terminals, by file systems and by people. */
const fold = (name: string): string => name.normalize('NFC').toLowerCase()

/** Reservations in an answer. */
const PAGE = 1_000

/** The running reservations of a user, or those of all. */
const listRunning = async (service: RemoteService, own: { readonly user_id?: string }): Promise<readonly Members[]> => {
  const all: Members[] = []
  for (;;) {
    const last = all.at(-1)
    const query = new URLSearchParams({ current: 'true', include: 'names', limit: String(PAGE), ...own })
    if (last !== undefined) query.set('before', idOf(last._id))
    const page = listIn(await service.get(`/api/sut_reservation?${query}`), 'sut_reservations')
    all.push(...page)
    if (page.length < PAGE) return all
  }
}

/** The id of a reservation: an id as it is, or that of one's own running reservation of the SUT with this name. */
const findReservation = async ({ service, isOperator }: Setting, typed: string): Promise<string> => {
  if (/^[0-9a-f]{24}$/.test(typed)) return typed
  const listed = await listRunning(service, isOperator ? {} : { user_id: (await readMe(service)).userId })
  const running = listed.filter(({ sut_name }) => fold(String(sut_name)) === fold(typed))
  const [found] = running
  const whose = isOperator ? 'nobody has a' : 'you have no'
  if (found === undefined) throw refused(`${whose} running reservation of ${JSON.stringify(typed)}`)
  if (running.length === 1) return idOf(found._id)
  throw refused(`several SUTs have this name; their reservations are ${running.map(({ _id }) => _id).join(', ')}`)
}

/** Seconds: a port opens up to one after its reservation begins. */
const WAIT = 10

const reservationIn = (operands: readonly string[]): string => {
  const [typed] = operands
  if (typed !== undefined && operands.length === 1) return typed
  throw misused('expected RESERVATION: an id, or the name of a SUT')
}

/** Every answer in JSON has the same meaning when characters are escaped. */
const print = ({ stdout }: Output, line: string): void => stdout(`${visibleLine(line)}\n`)

const CONNECT_OPTIONS = { exec: { type: 'boolean' }, json: { type: 'boolean' } } as const

export const connect = (args: readonly string[]) => {
  const { values, positionals } = parseArguments({ args, options: CONNECT_OPTIONS })
  const typed = reservationIn(positionals)
  return async (setting: Setting): Promise<number> => {
    const { service, isOperator, output, environment } = setting
    const id = await findReservation(setting, typed)
    const asked = await service.get(`/api/sut_reservation/${id}/connection?wait=${WAIT}`, { wait: WAIT })
    const connection = acceptedBody(asked)
    if (values.json) print(output, JSON.stringify(connection))
    const place = placeOf(connection)
    if (place === undefined) {
      const why = portProblemOf(connection) ?? 'the reservation has not begun or is over'
      throw new ClientFailure(EXIT.unreachable, `the port is not open: ${why}`)
    }
    // The socket does not show from where the holder will connect.
    if (connection.bound_here !== true && !isOperator) {
      say(
        output,
        `connections from here may be refused; POST /api/sut_reservation/${id}/update binds it to this address`,
      )
    }
    const way = await findWay(String(connection.sut_type), place, environment.PATH ?? '')
    if (!values.exec) {
      if (!values.json) print(output, [place.host, place.port, way.line.join(' ')].join('\t'))
      return 0
    }
    if (way.isInstalled) return runViewer(way.line)
    throw refused(`no viewer is installed; one of these would do: ${way.programs.join(', ')}`)
  }
}

/** Withdraws a request, or gives back what it was granted meanwhile. */
const withdraw = async (service: RemoteService, id: string): Promise<Answer> => {
  const withdrawn = await service.post(`/api/sut_request/${id}/withdraw`)
  if (withdrawn.body.code !== 'request_granted') return withdrawn
  return service.post(`/api/sut_reservation/${idOf(withdrawn.body.sut_reservation_id)}/cancel`)
}

export const release = (args: readonly string[]) => {
  const typed = reservationIn(parseArguments({ args, options: {} }).positionals)
  return async (setting: Setting): Promise<number> => {
    const { service } = setting
    const id = await findReservation(setting, typed)
    const released = await service.post(`/api/sut_reservation/${id}/cancel`)
    const withdrawn = released.body.code === 'reservation_not_found' ? await withdraw(service, id) : released
    // Neither has the id: a reservation is what was most likely meant.
    acceptedBody(withdrawn.body.code === 'request_not_found' ? released : withdrawn)
    return 0
  }
}

const LIST_OPTIONS = { json: { type: 'boolean' } } as const

export const list = (args: readonly string[]) => {
  const { values, positionals } = parseArguments({ args, options: LIST_OPTIONS })
  if (positionals.length > 0) throw misused('expected no arguments')
  return async ({ service, output }: Setting): Promise<number> => {
    const [reservations, requests] = [await listOwn(service), await listWaiting(service)]
    if (values.json) {
      print(output, JSON.stringify([...reservations, ...requests]))
      return 0
    }
    for (const { _id, sut_name, start_time, end_time } of reservations)
      print(output, [_id, sut_name, start_time, end_time].join('\t'))
    for (const { _id, sut_id, match, expires_at } of requests)
      print(output, [_id, sut_id ?? JSON.stringify(match), 'waiting', expires_at].join('\t'))
    return 0
  }
}
