import { parseArgs } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import type { Command, CommandArguments } from './command.ts'
import { didYouMean } from './suggest.ts'

/** First sentence of Node's message about wrong options. It names the option, never its value. */
const messageOf = (error: unknown, options: Command['options']): string => {
  const why = (error as Error).message.split(/\.\s|\.$/)[0] ?? 'wrong options'
  const unknown = /^Unknown option '--([^']+)'$/.exec(why)?.[1]
  if (unknown === undefined) return why
  return `${why}${didYouMean(
    `--${unknown}`,
    [...Object.keys(options), 'help'].map((name) => `--${name}`),
  )}`
}

/** Parses the arguments after the name of a command. Left: the problem, without any value. */
export const parse = (
  { options, operands }: Pick<Command, 'options' | 'operands'>,
  args: readonly string[],
): E.Either<string, CommandArguments & { readonly help: boolean }> => {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    })
    const help = values.help === true
    if (!help && positionals.length !== operands.length) {
      return E.left(operands.length === 0 ? 'expected no arguments' : `expected ${operands.join(' and ')}`)
    }
    return E.right({ operands: positionals, options: values as CommandArguments['options'], help })
  } catch (error) {
    return E.left(messageOf(error, options))
  }
}
