import type { Config } from '../../app/config/config.ts'
import { formatScope } from '../../domain/user/scope.ts'
import { makeAsk } from '../service/call.ts'
import { type Command, orFail, type Terminal, WrongUsage } from '../terminal/command.ts'
import { FIELD_OPTIONS, FIELDS_HELP, readFields, readTags } from './fields.ts'
import { lookUpSut, SutAnswer, sutPath } from './find.ts'

/** The commands that change a SUT in one request. */

/** Changes the SUT that a command line means, and prints a line about it. */
const changeSut = async (
  config: Config,
  terminal: Terminal,
  typed: string | undefined,
  change: { readonly operation: string; readonly body: object; readonly line: (sut: SutAnswer) => string },
): Promise<void> => {
  const { operation, body, line } = change
  const sut = await lookUpSut(config, typed)
  const path = sutPath(sut, operation)
  const changed = orFail(await makeAsk(config, terminal)({ method: 'POST', path, body, answer: SutAnswer }))
  terminal.stdout(`${line(changed)}\n`)
}

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
    const { name } = args.options
    const body = { ...(await readFields(args, terminal)), ...(name !== undefined && { name }) }
    if (Object.keys(body).length === 0) throw new WrongUsage('nothing to change was given')
    const line = (sut: SutAnswer) => `${sut._id}\t${sut.name}`
    return changeSut(config, terminal, args.operands[0], { operation: '/update', body, line })
  },
}

export const sutTagsCommand: Command = {
  name: 'sut tags',
  operands: ['SUT'],
  options: { set: { type: 'string' }, remove: { type: 'string' } },
  summary: 'sets and removes tags of a machine',
  example: 'sut tags lab-1 --set rack=4,team=qa1 --remove gpu',
  help: `
Sets tags of the SUT with the id or the name SUT, and removes others, by their names, separated by commas. Its other
tags stay. Prints all that it has then. In values "%", "," and "=" are written %25, %2C and %3D.

It asks the service on BERTH_DATA, or the one at BERTH_URL, as an administrator.`,
  run: async ({ operands: [typed], options: { set, remove } }, config, terminal) => {
    const removed = typeof remove === 'string' ? remove.split(',').map((name) => [name, null] as const) : []
    const body = { ...Object.fromEntries(removed), ...readTags(set) }
    if (Object.keys(body).length === 0) throw new WrongUsage('a --set or a --remove is required')
    return changeSut(config, terminal, typed, { operation: '/tags', body, line: (sut) => formatScope(sut.tags) })
  },
}

export const sutRetireCommand: Command = {
  name: 'sut retire',
  operands: ['SUT'],
  summary: 'retires a machine, which is final',
  example: 'sut retire lab-1',
  help: `
Retires the SUT with the id or the name SUT. It can then be read by its id, and nothing else. It is refused while the
SUT has reservations that are not over. Prints the id, the name and "retired", separated by tabs.

It asks the service on BERTH_DATA, or the one at BERTH_URL, as an administrator.`,
  run: ({ operands: [typed] }, config, terminal) =>
    changeSut(config, terminal, typed, {
      ...{ operation: '/retire', body: {} },
      line: ({ _id, name }) => `${_id}\t${name}\tretired`,
    }),
}
