import { parseArgs } from 'node:util'
import { type Command, type CommandArguments, type Option, WrongUsage } from './command.ts'
import { didYouMean } from './suggest.ts'

/** First sentence of Node's message about wrong options. It names the option, never its value. */
const messageOf = (error: unknown, options: Readonly<Record<string, Option>>): string => {
  const why = (error as Error).message.split(/\.\s|\.$/)[0] ?? 'wrong options'
  const unknown = /^Unknown option '--([^']+)'$/.exec(why)?.[1]
  if (unknown === undefined) return why
  return `${why}${didYouMean(
    `--${unknown}`,
    [...Object.keys(options), 'help'].map((name) => `--${name}`),
  )}`
}

const parseOptions = (options: Readonly<Record<string, Option>>, args: readonly string[]) => {
  const known = { ...options, help: { type: 'boolean', short: 'h' } } as const
  try {
    return parseArgs({ args: [...args], options: known, allowPositionals: true })
  } catch (error) {
    throw new WrongUsage(messageOf(error, options))
  }
}

/** Parses the arguments after the name of a command. @throws WrongUsage with the problem, without any value */
export const parse = (
  { options = {}, operands = [] }: Command,
  args: readonly string[],
): CommandArguments & { readonly help: boolean } => {
  const { values, positionals } = parseOptions(options, args)
  const help = values.help === true
  if (!help && positionals.length !== operands.length) {
    throw new WrongUsage(operands.length === 0 ? 'expected no arguments' : `expected ${operands.join(' and ')}`)
  }
  return { operands: positionals, options: values as CommandArguments['options'], help }
}
