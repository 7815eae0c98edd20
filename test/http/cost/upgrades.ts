import { filled, HEADER, IN_FIELDS, IN_PATHS, type Made, PATH, type Things } from './awkward.ts'

/** Upgrades to a console, for which the ticket in the path is the credential. */

const WEB_SOCKET: Readonly<Record<string, string>> = {
  Host: 'berth',
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

const upgrade = (ticket: string, fields: Readonly<Record<string, string>>): Buffer => {
  const all = Object.entries({ ...WEB_SOCKET, ...fields }).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`GET /api/console/${ticket} HTTP/1.1\r\n${all.join('')}\r\n`, 'latin1')
}

/** Refused whatever else is right, so that no request opens a console. */
const REFUSED = { 'Sec-WebSocket-Protocol': 'x' }

const FIELDS = [...Object.keys(WEB_SOCKET), 'Accept', 'Origin', 'Sec-WebSocket-Extensions', 'Sec-WebSocket-Protocol']

const inFields = ({ ticket }: Things): readonly Made[] =>
  FIELDS.flatMap((name) =>
    IN_FIELDS.map((unit) => ({
      what: `GET /api/console/:ticket to be upgraded, with ${name}: ${unit}...`,
      bytes: (share: number, isAnyones: boolean) =>
        upgrade(isAnyones ? 'x' : ticket, { ...REFUSED, [name]: filled(unit, (HEADER - 1_000) * share) }),
    })),
  )

/** Different names: the same one twice is refused sooner. */
const protocols = ({ ticket }: Things): Made => ({
  what: 'GET /api/console/:ticket to be upgraded, with thousands of protocols',
  bytes: (share, isAnyones) =>
    upgrade(isAnyones ? 'x' : ticket, {
      'Sec-WebSocket-Protocol': Array.from({ length: 6_000 * share }, (_, i) => i.toString(36)).join(),
    }),
})

const IN_TICKETS = [...IN_PATHS, 'a.', '.', 'A', '-', '_', 'W10.']

/** A long ticket is not looked at; one of the longest size is. */
const inTickets = (): readonly Made[] =>
  [PATH, 2_040].flatMap((length) =>
    IN_TICKETS.map((unit) => ({
      what: `GET /api/console/ of ${length} of ${unit}..., to be upgraded`,
      bytes: (share: number) => upgrade(filled(unit, length * share), REFUSED),
    })),
  )

export const upgrades = (things: Things): readonly Made[] => [...inFields(things), protocols(things), ...inTickets()]
