import { formatClock } from '../../format/format.ts'
import type { Refused } from '../../service/api.ts'

export type ConsoleEnd =
  /** The close code of the WebSocket: see the guide on consoles. */
  | { readonly kind: 'closed'; readonly code: number }
  | { readonly kind: 'refused'; readonly refused: Refused }
  /** The machine did not let one in, in its own words. */
  | { readonly kind: 'barred'; readonly reason: string | undefined }
  /** The program for screens could not be loaded, as after an update. */
  | { readonly kind: 'updated' }

export interface Said {
  readonly title: string
  readonly text?: string
  /** `again`: connect again. `reserve`: the machine may be taken again. `reload`: load the page again. */
  readonly way: 'again' | 'reserve' | 'reload' | 'none'
}

interface About {
  readonly name: string
  /** When the reservation ends, or ended, in Unix milliseconds. */
  readonly end: number | undefined
  readonly me: string
}

const CLOSED: Readonly<Record<number, (about: About) => Said>> = {
  4000: ({ name, end }) => ({
    title: 'Your time is up',
    text: `Your reservation of ${name} ended${end === undefined ? '' : ` at ${formatClock(end)}`}, so Berth closed the connection.`,
    way: 'reserve',
  }),
  4001: ({ name }) => ({
    title: 'It was released',
    text: `The reservation of ${name} was released or cancelled, so Berth closed the connection.`,
    way: 'reserve',
  }),
  4002: ({ name }) => ({
    title: 'The machine closed the connection',
    text: `${name} ended it, or could not be reached.`,
    way: 'again',
  }),
  1001: () => ({ title: 'Berth is restarting', way: 'again' }),
  1006: () => ({ title: 'The connection was lost', way: 'again' }),
  1008: () => ({
    title: 'You can no longer use this machine',
    text: 'You were signed out, or may no longer hold reservations.',
    way: 'none',
  }),
}

const ofOver = ({ cause, by, detail }: Refused['problem'], about: About): Said => {
  if (cause === 'released' && by === about.me) return (CLOSED[4001] as (about: About) => Said)(about)
  if (cause === undefined || cause === 'ended') return (CLOSED[4000] as (about: About) => Said)(about)
  const isOfService = cause === 'keepalive' || cause === 'unused'
  const title = isOfService ? `Berth released ${about.name}` : 'Someone ended your reservation'
  return { title, text: detail, way: 'reserve' }
}

/** Refusals that are more than that it could not be opened. */
const REFUSED: Readonly<Record<string, Pick<Said, 'title' | 'way'>>> = {
  gateway_full: { title: 'Too many connections to this machine', way: 'again' },
  not_forwarded: { title: 'Another Berth instance forwards this machine', way: 'none' },
  reservation_not_running: { title: 'Your reservation has not started', way: 'again' },
  not_vnc: { title: 'This machine has no screen here', way: 'none' },
}

const ofRefused = ({ problem, status }: Refused, about: About): Said => {
  const { code, detail } = problem
  if (code === 'reservation_over' || code === 'reservation_cancelled') return ofOver(problem, about)
  const way = status === 0 || status >= 500 ? 'again' : 'none'
  return { title: 'The screen could not be opened', way, ...REFUSED[code], text: detail }
}

export const saidOf = (ending: ConsoleEnd, about: About): Said => {
  if (ending.kind === 'refused') return ofRefused(ending.refused, about)
  if (ending.kind === 'barred')
    return { title: 'The machine did not let you in', text: ending.reason ?? 'It gave no reason.', way: 'again' }
  if (ending.kind === 'updated')
    return { title: 'Berth was updated', text: 'Reload to open the screen.', way: 'reload' }
  const text = `Berth or the browser closed it with code ${ending.code}. See the service's log.`
  return CLOSED[ending.code]?.(about) ?? { title: 'The connection was closed', text, way: 'again' }
}
