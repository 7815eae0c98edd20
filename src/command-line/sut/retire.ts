import type { Command } from '../terminal/command.ts'
import { changeSut } from './change.ts'

export const sutRetireCommand: Command = {
  name: 'sut retire',
  operands: ['SUT'],
  options: {},
  summary: 'retires a machine, which is final',
  example: 'sut retire lab-1',
  help: `
Retires the SUT with the id or the name SUT. It can then be read by its id, and nothing else. It is refused while the
SUT has reservations that are not over. Prints the id, the name and "retired", separated by tabs.

It asks the service on BERTH_DATA, or the one at BERTH_URL, as an administrator.`,
  run: ({ operands: [typed = ''] }, config, terminal) =>
    changeSut(config, terminal, typed, {
      ...{ operation: '/retire', body: {} },
      line: ({ _id, name }) => `${_id}\t${name}\tretired`,
    }),
}
