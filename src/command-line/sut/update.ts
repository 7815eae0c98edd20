import * as E from 'fp-ts/lib/Either.js'
import { type Command, printRefusal } from '../terminal/command.ts'
import { misuse } from '../terminal/misuse.ts'
import { changeSut } from './change.ts'
import { FIELD_OPTIONS, FIELDS_HELP, readFields } from './fields.ts'

export const sutUpdateCommand: Command = {
  name: 'sut update',
  operands: ['SUT'],
  options: { name: { type: 'string' }, ...FIELD_OPTIONS },
  summary: 'changes a machine',
  example: 'sut update lab-1 --address 192.168.9.6 --active true',
  help: `
Changes the fields of the SUT with the id or the name SUT that are given. --name gives it another name. Prints id and
name, separated by a tab.

${FIELDS_HELP}

It asks the service on BERTH_DATA, or the one at BERTH_URL, as an administrator.`,
  run: async (args, config, terminal) => {
    const fields = await readFields(args, terminal)
    if (E.isLeft(fields)) return printRefusal(terminal, fields.left)
    const { name } = args.options
    const body = { ...fields.right, ...(name !== undefined && { name }) }
    if (Object.keys(body).length === 0) return misuse(terminal, 'nothing to change was given', sutUpdateCommand)
    const line = (sut: { readonly _id: string; readonly name: string }) => `${sut._id}\t${sut.name}`
    return changeSut(config, terminal, args.operands[0] ?? '', { operation: '/update', body, line })
  },
}
