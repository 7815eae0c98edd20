import { classExcluding, INVISIBLE } from '../../domain/values/characters.ts'
import type { Terminal } from './command.ts'

/** Line breaks and tabs, which tables need. */
const LAYOUT: readonly number[] = [0x09, 0x0a]
const REFUSED = INVISIBLE.flatMap(([from, to]): (readonly [number, number])[] => {
  const cuts = LAYOUT.filter((code) => code >= from && code <= to)
  const starts = [from, ...cuts.map((code) => code + 1)]
  return starts.map((start, n) => [start, (cuts[n] ?? to + 1) - 1] as const).filter(([start, end]) => start <= end)
})
/** A line break of CSV, or a character that shows nothing or moves the cursor. */
const UNPRINTABLE = new RegExp(`\\r\\n|[^${classExcluding(REFUSED)}]`, 'gu')

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
const escapeUnits = (text: string): string => (text === '\r\n' ? text : text.split('').map(escapeUnit).join(''))

/**
 * Replaces what is unprintable by its escape in JSON, where it means the same. Otherwise a name in the log, or a service
 * that is not the one that was meant, could write over what a terminal shows, or give it commands.
 */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escapeUnits)

/** The same terminal, to which nothing unprintable is written. What goes into a pipe by `send` is left as it is. */
export const makePrintable = (terminal: Terminal): Terminal => {
  const { stdout, send, stderr, redraw, columns } = terminal
  return {
    ...terminal,
    stdout: (text) => stdout(printable(text)),
    send: (text) => send(columns === undefined ? text : printable(text)),
    stderr: (text) => stderr(printable(text)),
    redraw: (text) => redraw(printable(text)),
  }
}
