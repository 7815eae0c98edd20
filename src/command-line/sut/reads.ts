import { boolean, orNull } from '../../domain/codec/codec.ts'
import { whole } from '../../domain/events/fields.ts'
import { formatScope } from '../../domain/user/scope.ts'
import { answer, callService, line } from '../service/call.ts'
import { type Command, DONE, REFUSED } from '../terminal/command.ts'
import { readTags } from './fields.ts'
import { listSuts, lookUpSut, type SutAnswer, sutPath } from './find.ts'

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

export const sutShowCommand: Command = {
  name: 'sut show',
  operands: ['SUT'],
  options: { json: { type: 'boolean' } },
  summary: 'shows a machine',
  example: 'sut show lab-1',
  help: `
Prints what is known of the SUT with the id or the name SUT, one line each: what it is and the value, separated by a
tab. A retired SUT is shown by its id.

It asks the service on BERTH_DATA, or the one at BERTH_URL.

With --json it prints what GET /api/sut/<id> answers.`,
  run: async ({ operands: [typed], options }, config, terminal) => {
    const sut = await lookUpSut(config, typed)
    const { _id, monitoring, tags, name, ...fields } = sut
    if (options.json) terminal.stdout(`${JSON.stringify(sut)}\n`)
    else {
      const rows = { id: _id, name, ...fields, monitoring: monitoring.status, tags: formatScope(tags) }
      for (const [member, value] of Object.entries(rows)) terminal.stdout(`${member}\t${value}\n`)
    }
  },
}

const Checked = answer({ reachable: boolean, cause: orNull(line), milliseconds: whole }, {})

export const sutCheckCommand: Command = {
  name: 'sut check',
  operands: ['SUT'],
  options: { json: { type: 'boolean' } },
  summary: 'probes a SUT now',
  example: 'sut check lab-1',
  help: `
Has the running service connect to the SUT with the id or the name SUT and speak its protocol as far as monitoring does.
Prints "reachable" or "not reachable" with the cause, and the milliseconds it took. Exits with 1 if it is not reachable.
A SUT can be checked once a second.

It asks the service on BERTH_DATA, or the one at BERTH_URL, as an administrator.

With --json it prints {"reachable","cause","milliseconds"}.`,
  run: async ({ operands: [typed], options }, config, terminal) => {
    const found = await lookUpSut(config, typed)
    const checked = await callService(config, { method: 'POST', path: sutPath(found, '/check'), answer: Checked })
    const { reachable, cause, milliseconds } = checked
    if (options.json) terminal.stdout(`${JSON.stringify(checked)}\n`)
    else
      terminal.stdout(
        `${reachable ? 'reachable' : 'not reachable'}${cause === null ? '' : `\t${cause}`}\t${milliseconds} ms\n`,
      )
    return reachable ? DONE : REFUSED
  },
}
