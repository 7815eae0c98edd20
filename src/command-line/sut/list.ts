import { formatScope } from '../../domain/user/scope.ts'
import type { Command } from '../terminal/command.ts'
import { readTags } from './fields.ts'
import { listSuts, type SutAnswer } from './find.ts'

const rowOf = ({ _id, name, sut_type, address, port, is_active, monitoring, tags }: SutAnswer): string =>
  [_id, name, sut_type, address, port, is_active ? 'active' : 'inactive', monitoring.status, formatScope(tags)].join(
    '\t',
  )

export const sutListCommand: Command = {
  name: 'sut list',
  options: { name: { type: 'string' }, tags: { type: 'string' }, json: { type: 'boolean' } },
  summary: 'lists machines',
  example: 'sut list --tags rack=4',
  help: `
Prints all SUTs that are not retired, the newest first, one per line, separated by tabs: id, name, type, address, port,
"active" or "inactive", what monitoring found, and tags. --name selects those whose name contains a text, --tags those
that have all of the tags, such as rack=4,team=qa1.

It asks the service on BERTH_DATA, or the one at BERTH_URL; testers see the SUTs of their scope.

With --json each line is a SUT as GET /api/sut/<id> answers.`,
  run: async ({ options: { name, tags, json } }, config, terminal) => {
    const family = Object.entries(readTags(tags) ?? {}).map(([tag, value]) => [`tag.${tag}`, value])
    const query = { ...(typeof name === 'string' && { name }), ...Object.fromEntries(family) }
    for (const sut of await listSuts(config, query)) {
      terminal.stdout(`${json ? JSON.stringify(sut) : rowOf(sut)}\n`)
    }
  },
}
