import { visibleLine as printableLine } from '../../client/service/output.ts'
import type { Terminal } from './command.ts'

/**
 * Replaces what is unprintable by its escape in JSON, where it means the same. Otherwise a name in the log, or a service
 * that is not the one that was meant, could write over what a terminal shows, or give it commands. Line breaks stay, also
 * those of CSV.
 */
export const printable = (text: string): string =>
  text
    .split(/(\r?\n)/)
    .map((part, n) => (n % 2 === 1 ? part : printableLine(part)))
    .join('')

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
