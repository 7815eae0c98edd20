import * as E from 'fp-ts/lib/Either.js'
import { formatScope } from '../../domain/user/scope.ts'
import type { Command } from '../terminal/command.ts'
import { misuse } from '../terminal/misuse.ts'
import { changeSut } from './change.ts'
import { readTags } from './fields.ts'

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
  run: async ({ operands: [typed = ''], options: { set, remove } }, config, terminal) => {
    const tags = readTags(set)
    if (E.isLeft(tags)) return misuse(terminal, `the tags ${tags.left}`, sutTagsCommand)
    const removed = typeof remove === 'string' ? remove.split(',').map((name) => [name, null] as const) : []
    const body = { ...Object.fromEntries(removed), ...tags.right }
    if (Object.keys(body).length === 0) return misuse(terminal, 'a --set or a --remove is required', sutTagsCommand)
    return changeSut(config, terminal, typed, { operation: '/tags', body, line: (sut) => formatScope(sut.tags) })
  },
}
