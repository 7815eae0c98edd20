import type { Operation } from '../../http/protocol/route.ts'
import type { CommandHelp } from '../terminal/command.ts'
import { wrap } from '../terminal/wrap.ts'
import { type Field, optionOf } from './options.ts'

const WIDTH = 120
const SAMPLE_ID = '6b013ba4e990750a68938b44'
const SAMPLES: Readonly<Record<string, string>> = { SUT: 'lab-1', USER: 'anna' }

interface Shape {
  readonly name: string
  readonly operands: readonly string[]
  readonly form: { readonly query: readonly Field[]; readonly body: readonly Field[]; readonly password: string }
  /** What the lines of a list have. */
  readonly columns: readonly string[] | undefined
}

/** What the members of bodies do not say. */
const NOTES = {
  reason: '--reason: Why, in up to 200 characters, which the log keeps.',
  'if-match': '--if-match: Only if the revision of its ETag is this one.',
  read: '--password-stdin: Reads the password from standard input, without one final line break.',
  made: '--password-stdin: Reads the password from standard input, without one final line break. Otherwise one is made.',
}

const describeOutput = ({ method, path, isCreation }: Operation, { columns, form }: Shape): string => {
  const json = `With --json it prints what ${method} ${path} answers`
  if (columns !== undefined)
    return `Prints one line for each, with these separated by tabs: ${columns.join(', ')}. ${json}, one object a line.`
  const made = form.password === 'made' ? 'the password where it is a random one' : undefined
  const members = 'each member of the answer and its value, separated by a tab'
  const printed = isCreation
    ? ['the id', ...(made ? [made] : [])].join(', and ')
    : made
      ? `${made}, or ${members}`
      : members
  return `Prints ${printed}. ${json}.`
}

/** What help says of the command of an operation: the words of its declaration. */
export const helpOfOperation = (
  operation: Operation,
  shape: Shape,
): Pick<CommandHelp, 'summary' | 'example' | 'help'> => {
  const { summary, description } = operation
  const { name, operands, form } = shape
  const [kind = ''] = name.split(' ')
  const fields = [...form.query, ...form.body]
  const notes = fields.flatMap(({ member, note }) => (note === undefined ? [] : [`--${optionOf(member)}: ${note}`]))
  if (form.password === 'made' || form.password === 'read') notes.push(NOTES[form.password])
  if (operation.isConditional) notes.push(NOTES['if-match'])
  if (operation.method === 'POST') notes.push(NOTES.reason)
  const required = fields.filter(({ isRequired }) => isRequired).map(({ member }) => `--${optionOf(member)} VALUE`)
  const where = 'It asks the service on BERTH_DATA, or the one at BERTH_URL. SUTs and users are given by id or by name.'
  return {
    summary: summary.charAt(0).toLowerCase() + summary.slice(1),
    example: [
      name,
      ...operands.map((operand) => SAMPLES[operand === 'NAME' ? kind.toUpperCase() : operand] ?? SAMPLE_ID),
      ...required,
    ].join(' '),
    help: [
      wrap(description === undefined ? `${summary}.` : `${summary}. ${description}`, WIDTH, ''),
      ...(notes.length > 0 ? [notes.map((note) => wrap(note, WIDTH, '  ')).join('')] : []),
      wrap(`${where} ${describeOutput(operation, shape)}`, WIDTH, ''),
    ].join('\n'),
  }
}
