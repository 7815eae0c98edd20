import * as E from 'fp-ts/lib/Either.js'
import { boolean, orNull } from '../../domain/codec/codec.ts'
import { whole } from '../../domain/events/fields.ts'
import { type Command, DONE, REFUSED, refuse } from '../terminal/command.ts'
import { answer, line } from './answer.ts'
import { callService } from './call.ts'

const Checked = answer({ reachable: boolean, cause: orNull(line), milliseconds: whole }, {})

export const sutCheckCommand: Command = {
  name: 'sut check',
  operands: ['SUT'],
  options: { json: { type: 'boolean' } },
  summary: 'probes a SUT now',
  example: 'sut check 6b013ba4e990750a68938b44',
  help: `
Has the running service connect to the SUT and speak its protocol as far as monitoring does. Prints "reachable" or "not
reachable" with the cause, and the milliseconds it took. Exits with 1 if it is not reachable. A SUT can be checked once
a second.

It asks the service on BERTH_DATA, or the one at BERTH_URL, as an administrator.

With --json it prints {"reachable","cause","milliseconds"}.`,
  run: async ({ operands: [id = ''], options }, config, terminal) => {
    const checked = await callService(config, {
      method: 'POST',
      path: `/api/sut/${encodeURIComponent(id)}/check`,
      answer: Checked,
    })
    if (E.isLeft(checked)) return refuse(terminal, checked.left)
    const { reachable, cause, milliseconds } = checked.right
    if (options.json) terminal.stdout(`${JSON.stringify(checked.right)}\n`)
    else
      terminal.stdout(
        `${reachable ? 'reachable' : 'not reachable'}${cause === null ? '' : `\t${cause}`}\t${milliseconds} ms\n`,
      )
    return reachable ? DONE : REFUSED
  },
}
