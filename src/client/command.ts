/** Commands of this client and of the whole command line: what is typed, and what help says. */

import { type ParseArgsOptionDescriptor, default as util } from 'node:util'

/** Absent, set, of one value, or of one for each time that it is given. */
export type OptionValue = undefined | boolean | string | readonly string[]

/** The arguments after the name of a command. */
export interface CommandArguments {
  readonly operands: readonly string[]
  readonly options: Readonly<Record<string, OptionValue>>
  /** What comes after `--`, for a command with a `tail`. */
  readonly tail: readonly string[]
}

/** The value of an option that takes a text. */
export const textOf = (value: OptionValue): string | undefined => (typeof value === 'string' ? value : undefined)

/** The values of an option that may be given several times. */
export const textsOf = (value: OptionValue): readonly string[] => (typeof value === 'object' ? value : [])

export interface Option extends ParseArgsOptionDescriptor {
  readonly value?: string
  /** A sentence for the help, where its text does not explain the option. */
  readonly note?: string | undefined
  /** For the usage line only: the command refuses what is missing with a reason of its own. */
  readonly isRequired?: true
}

export interface CommandHelp {
  /** One word, or two for a member of a group. */
  readonly name: string
  readonly operands?: readonly string[]
  readonly options?: Readonly<Record<string, Option>>
  /** The usage of what comes after `--`. */
  readonly tail?: string
  /** A short phrase for the list of commands. */
  readonly summary: string
  /** An example command line, without the program. */
  readonly example: string
  /** Lines of up to 120 characters. */
  readonly help: string
  /** Only if they differ from those of the program. */
  readonly exitCodes?: string
}

/** Node takes a number below 0 for an option, so it becomes one argument with the option before it. */
const joinNegative = (args: readonly string[]): string[] =>
  args.flatMap((arg, n) => {
    const isNegative = (word = ''): boolean => /^-\d+$/.test(word)
    const isName = (word = ''): boolean => /^--[a-z][a-z-]*$/.test(word)
    if (isNegative(arg) && isName(args[n - 1])) return []
    return isName(arg) && isNegative(args[n + 1]) ? [`${arg}=${args[n + 1]}`] : [arg]
  })

/** Parses the arguments after the name of a command. Returns a sentence where they are wrong, without any value. */
export const parseArguments = (
  { options = {}, operands = [], tail: usage }: CommandHelp,
  args: readonly string[],
): (CommandArguments & { readonly asksHelp: boolean }) | string => {
  const end = usage !== undefined && args.includes('--') ? args.indexOf('--') : args.length
  const known = { ...options, help: { type: 'boolean', short: 'h' } } as const
  try {
    // Not imported by its name: Node before 18.3 has no such export, and would end before it is told to be too old.
    const own = joinNegative(args.slice(0, end))
    const { values, positionals } = util.parseArgs({ args: own, options: known, allowPositionals: true })
    const parsed = { operands: positionals, options: values as CommandArguments['options'], tail: args.slice(end + 1) }
    if (values.help === true) return { ...parsed, asksHelp: true }
    if (usage !== undefined && positionals.length > 0) return `${positionals[0]} is no option; COMMAND comes after --`
    if (positionals.length === operands.length) return { ...parsed, asksHelp: false }
    return operands.length === 0 ? 'expected no arguments' : `expected ${operands.join(' and ')}`
  } catch (error) {
    // Its first sentence names the option, never its value.
    return (error as Error).message.split(/\.\s|\.$/)[0] ?? 'wrong options'
  }
}

/** Wraps a text at spaces into indented lines of a width. A longer word gets its own line. */
export const wrap = (text: string, width: number, indent: string): string => {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && indent.length + longer.length > width) {
      lines.push(line)
      line = word
    } else line = longer
  }
  return [...lines, line].map((each) => `${indent}${each}\n`).join('')
}

export const HELP_WIDTH = 120

/** A command with its operands and options: `backup DIR [--json]`. Leaves room for `usage: `. */
export const usageOf = ({ name, operands = [], options = {}, tail }: CommandHelp): string => {
  const flags = Object.entries(options).map(([flag, { type, value = 'VALUE', multiple, isRequired }]) => {
    const usage = `--${flag}${type === 'string' ? ` ${value}` : ''}`
    return `${isRequired ? usage : `[${usage}]`}${multiple ? '...' : ''}`
  })
  // A flag and its value stay together.
  const parts = [name, ...operands, ...flags, ...(tail === undefined ? [] : [`-- ${tail}`])]
  const [first = '', ...others] = parts.map((part) => part.replaceAll(' ', '\u00a0'))
  const lines = wrap([first, ...others].join(' '), HELP_WIDTH - 15, '')
    .trimEnd()
    .split('\n')
  return lines.join('\n    ').replaceAll('\u00a0', ' ')
}

/** The help of a command, whose usage begins with one program, and whose example with another. */
export const helpOf = (command: CommandHelp, program: string, example: string, exitCodes: string): string => {
  const noted = Object.entries(command.options ?? {}).filter(([, { note }]) => note !== undefined)
  const notes = noted.map(([name, { note }]) => wrap(`--${name}: ${note}`, HELP_WIDTH, '  ')).join('')
  const words = `${command.help.trim()}\n${notes === '' ? '' : `\n${notes}`}`
  return `${program} ${usageOf(command)}\n\n${words}\n  ${example} ${command.example}\n\n${command.exitCodes ?? exitCodes}\n`
}

/** One line with each command and what it does, and another with an example. */
export const listCommands = (commands: readonly CommandHelp[]): string =>
  commands.map(({ name, summary, example }) => `  ${name.padEnd(16)}${summary}\n${' '.repeat(18)}${example}\n`).join('')
