import { formatScope } from '../../domain/user/scope.ts'
import type { Command } from '../terminal/command.ts'
import { lookUpSut } from './find.ts'

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
