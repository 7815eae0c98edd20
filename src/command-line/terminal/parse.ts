import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import type { Command, Given } from './command.ts'
import { didYouMean } from './suggest.ts'

/** Node's sentence about wrong options, which names the option and never its value, less its advice for other cases. */
const complaintOf = (error: unknown, options: ParseArgsOptionsConfig): string => {
  const why = (error as Error).message.split(/\.\s|\.$/)[0] ?? 'wrong options'
  const unknown = /^Unknown option '--([^']+)'$/.exec(why)?.[1]
  if (unknown === undefined) return why
  return `${why}${didYouMean(
    `--${unknown}`,
    [...Object.keys(options), 'help'].map((name) => `--${name}`),
  )}`
}

/** Reads the arguments after the name of a command. Left: what is wrong with them, without any value. */
export const parse = (
  { options, operands }: Pick<Command, 'options' | 'operands'>,
  args: readonly string[],
): E.Either<string, Given & { readonly help: boolean }> => {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    })
    const help = values.help === true
    if (!help && positionals.length !== operands.length) {
      return E.left(operands.length === 0 ? 'it takes no arguments' : `it takes ${operands.join(' and ')}`)
    }
    return E.right({ operands: positionals, options: values as Given['options'], help })
  } catch (error) {
    return E.left(complaintOf(error, options))
  }
}
