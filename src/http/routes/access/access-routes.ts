import * as E from 'fp-ts/lib/Either.js'
import { withoutBody } from '../../codecs/bodies.ts'
import { type WaitQuery, waitQuery } from '../../codecs/lists.ts'
import { refusal } from '../../protocol/problem.ts'
import { type Call, get, getWithQuery, post, type Route, type RouteResult, type Upgrade } from '../../protocol/route.ts'
import { FILE_MEDIA_TYPES } from './connection-file.ts'
import { CONSOLE_PATH } from './console-ticket.ts'

/** How the holder of a reservation reaches its SUT. */
export interface AccessHandlers {
  readonly connection: (call: Call<unknown, WaitQuery>) => RouteResult
  readonly consoleTicket: (call: Call) => RouteResult
  readonly console: Upgrade
}

export const accessRoutes = ({ connection, consoleTicket, console }: AccessHandlers): readonly Route[] => [
  getWithQuery({
    path: '/api/sut_reservation/:id/connection',
    query: waitQuery,
    roles: ['administrator', 'tester'],
    otherMediaTypes: FILE_MEDIA_TYPES,
    handle: connection,
  }),
  post({
    path: '/api/sut_reservation/:id/console',
    roles: ['administrator', 'tester'],
    ...withoutBody,
    handle: consoleTicket,
  }),
  // The ticket is the credential.
  get({
    path: `${CONSOLE_PATH}:ticket`,
    roles: 'anyone',
    upgrade: console,
    handle: async () =>
      E.left(refusal('upgrade_required', 'This address is a WebSocket. Send Connection: Upgrade, Upgrade: websocket.')),
  }),
]
