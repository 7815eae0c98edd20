import { HELP_WIDTH, type Option, wrap } from '../../client/command.ts'
import type { Operation } from '../../http/protocol/route.ts'

interface Shape {
  readonly name: string
  readonly operands: readonly string[]
  readonly options: Readonly<Record<string, Option>>
  /** What the lines of a list have. */
  readonly columns: readonly string[] | undefined
  readonly makesPassword: boolean
}

const describeOutput = ({ method, path, isCreation }: Operation, { columns, makesPassword }: Shape): string => {
  const json = `With --json it prints what ${method} ${path} answers`
  if (columns !== undefined)
    return `Prints one line for each, with these separated by tabs: ${columns.join(', ')}. ${json}, one object a line.`
  const made = makesPassword ? 'the password where it is a random one' : undefined
  const others = isCreation ? 'the id' : 'each member of the answer and its value, separated by a tab'
  const printed = isCreation
    ? [others, made].filter(Boolean).join(', and ')
    : [made, others].filter(Boolean).join(', or ')
  return `Prints ${printed}. ${json}.`
}

/** What help says of the command of an operation: the words of its declaration. */
export const helpOfOperation = (operation: Operation, shape: Shape) => {
  const { summary, description } = operation
  const { name, operands, options } = shape
  const required = Object.entries(options).flatMap(([each, { isRequired }]) => (isRequired ? [`--${each} VALUE`] : []))
  const where = 'It asks the service on BERTH_DATA, or the one at BERTH_URL. SUTs and users are given by id or by name.'
  const words = description === undefined ? `${summary}.` : `${summary}. ${description}`
  return {
    summary: summary.charAt(0).toLowerCase() + summary.slice(1),
    example: [name, ...operands, ...required].join(' '),
    help: [words, `${where} ${describeOutput(operation, shape)}`].map((text) => wrap(text, HELP_WIDTH, '')).join('\n'),
  }
}
