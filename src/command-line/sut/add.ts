import { opaqueId } from '../../domain/codec/codec.ts'
import { answer, makeAsk } from '../service/call.ts'
import { type Command, orFail, WrongUsage } from '../terminal/command.ts'
import { FIELD_OPTIONS, FIELDS_HELP, readFields, readTags } from './fields.ts'

const Added = answer({ _id: opaqueId }, {})
const REQUIRED = ['address', 'port', 'type'] as const

export const sutAddCommand: Command = {
  name: 'sut add',
  operands: ['NAME'],
  options: {
    ...FIELD_OPTIONS,
    address: { type: 'string', isRequired: true },
    port: { type: 'string', isRequired: true },
    type: { type: 'string', isRequired: true },
    tags: { type: 'string' },
  },
  summary: 'adds a machine',
  example: 'sut add lab-1 --address 192.168.9.5 --port 5900 --type vnc --tags rack=4',
  help: `
Creates a SUT and prints its id. It has its --tags, such as rack=4,team=qa1, from the start, with %25, %2C and %3D for
"%", "," and "=" in values.

${FIELDS_HELP}

It asks the service on BERTH_DATA, or the one at BERTH_URL, as an administrator.`,
  run: async (args, config, terminal) => {
    const missing = REQUIRED.find((name) => args.options[name] === undefined)
    if (missing !== undefined) throw new WrongUsage(`a --${missing} is required`)
    const tags = readTags(args.options.tags)
    const fields = await readFields(args, terminal)
    const body = { name: args.operands[0], ...fields, ...(tags && { tags }) }
    const added = await makeAsk(config, terminal)({ method: 'POST', path: '/api/sut/create', body, answer: Added })
    const { _id } = orFail(added)
    terminal.stdout(`${_id}\n`)
  },
}
