import * as E from 'fp-ts/lib/Either.js'
import { formatScope, parseScope, type Scope } from '../../domain/user/scope.ts'
import { callService } from '../service/call.ts'
import { type Command, type OptionValue, WrongUsage } from '../terminal/command.ts'
import { lookUpSut, SutAnswer, sutPath } from './find.ts'

/** Reads tags as typed. @throws WrongUsage */
const readTags = (typed: OptionValue): Scope | undefined => {
  const read = typeof typed === 'string' ? parseScope(typed) : undefined
  if (read !== undefined && E.isLeft(read)) throw new WrongUsage(`the tags ${read.left}`)
  return read?.right
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
    const path = sutPath(await lookUpSut(config, typed), '/tags')
    const changed = await callService(config, { method: 'POST', path, body, answer: SutAnswer })
    terminal.stdout(`${formatScope(changed.tags)}\n`)
  },
}
