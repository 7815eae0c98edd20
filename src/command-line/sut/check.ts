import { boolean, orNull } from '../../domain/codec/codec.ts'
import { whole } from '../../domain/events/fields.ts'
import { answer, callService, line } from '../service/call.ts'
import { type Command, DONE, REFUSED } from '../terminal/command.ts'
import { lookUpSut, sutPath } from './find.ts'

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
