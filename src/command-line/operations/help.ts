import type { Operation } from '../../http/protocol/route.ts'
import type { CommandHelp } from '../terminal/command.ts'
import { wrap } from '../terminal/wrap.ts'
import { type Field, optionOf } from './options.ts'

const WIDTH = 120
const SAMPLE_ID = '6b013ba4e990750a68938b44'
const SAMPLES: Readonly<Record<string, string>> = { SUT: 'lab-1', NAME: 'lab-1', USER: 'anna' }

interface Shape {
  readonly name: string
  readonly operands: readonly string[]
  readonly fields: readonly Field[]
  /** What the lines of a list have. */
  readonly columns: readonly string[] | undefined
}

const describeOutput = ({ method, path, isCreation }: Operation, { columns }: Shape): string => {
  const json = `With --json it prints what ${method} ${path} answers`
  if (columns !== undefined)
    return `Prints one line for each, with these separated by tabs: ${columns.join(', ')}. ${json}, one object a line.`
  return `Prints ${isCreation ? 'the id' : 'each member of the answer and its value, separated by a tab'}. ${json}.`
}

/** What help says of the command of an operation: the words of its declaration. */
export const helpOfOperation = (
  operation: Operation,
  shape: Shape,
): Pick<CommandHelp, 'summary' | 'example' | 'help'> => {
  const { summary, description } = operation
  const { name, operands, fields } = shape
  const notes = fields.flatMap(({ member, note }) => (note === undefined ? [] : [`--${optionOf(member)}: ${note}`]))
  const required = fields.filter(({ isRequired }) => isRequired).map(({ member }) => `--${optionOf(member)} VALUE`)
  const where = 'It asks the service on BERTH_DATA, or the one at BERTH_URL. SUTs and users are given by id or by name.'
  return {
    summary: summary.charAt(0).toLowerCase() + summary.slice(1),
    example: [name, ...operands.map((operand) => SAMPLES[operand] ?? SAMPLE_ID), ...required].join(' '),
    help: [
      wrap(description === undefined ? `${summary}.` : `${summary}. ${description}`, WIDTH, ''),
      ...(notes.length > 0 ? [notes.map((note) => wrap(note, WIDTH, '  ')).join('')] : []),
      wrap(`${where} ${describeOutput(operation, shape)}`, WIDTH, ''),
    ].join('\n'),
  }
}
