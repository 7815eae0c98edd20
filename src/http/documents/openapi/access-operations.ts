import type { Code } from '../../protocol/problem.ts'
import { refTo } from './answer-schemas.ts'
import type { Operations } from './operation.ts'

const OF_RESERVATION: readonly Code[] = ['not_your_reservation', 'reservation_not_found', 'reservation_cancelled']
const OF_CONSOLE: readonly Code[] = ['not_vnc', 'reservation_not_running', 'reservation_over', 'not_forwarded']

/** How the holder of a reservation reaches its SUT. */
export const accessOperations: Operations = {
  'GET /api/sut_reservation/:id/connection': {
    id: 'readConnection',
    summary: 'Find out how to connect to the SUT',
    description:
      'Also as a file for viewers: `application/x-rdp` for SUTs of type rdp, `application/x-vnc` for those of type vnc. `open` and `connections` are those of this instance. With `wait` it answers when the port is open here, when that will never be, when it turns out that another program has the port, or after that time.',
    answer: refTo('Connection'),
    refusals: [...OF_RESERVATION, 'not_forwarded'],
  },
  'POST /api/sut_reservation/:id/console': {
    id: 'openConsole',
    summary: 'Get a ticket for a console in the browser',
    description:
      'For the holder alone, while the reservation of a vnc SUT runs. Open `url` as a WebSocket with the subprotocol `binary`, within 30 seconds. It speaks RFB (RFC 6143) without a password.',
    answer: refTo('ConsoleTicket'),
    refusals: [...OF_RESERVATION, ...OF_CONSOLE],
  },
  'GET /api/console/:ticket': {
    id: 'connectConsole',
    summary: 'Connect to the screen of a SUT',
    description:
      'A WebSocket. Each ticket opens one. The server closes with 4000 when the reservation is over, 4001 when it was released, 4002 when the SUT ends the connection, and 1001 when the service stops.',
    answer: refTo('Connection'),
    isUpgrade: true,
    refusals: [
      'upgrade_required',
      'ticket_invalid',
      'cross_site',
      'reservation_not_found',
      'reservation_cancelled',
      ...OF_CONSOLE,
      'gateway_full',
    ],
  },
}
