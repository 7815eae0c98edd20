/** The commands that are one request each, derived from the declarations of routes. */

import { isUtf8 } from 'node:buffer'
import { type CommandArguments, HELP_WIDTH, type Option, wrap } from '../../client/command.ts'
import type { Route } from '../../http/protocol/route.ts'
import { confirmClock } from '../../http/routes/health.ts'
import { routes } from '../../http/routes.ts'
import { makePassword, PASSWORD_RANDOM_BYTES } from '../../users/passwords/password.ts'
import { type Command, CommandFailure, DONE, REFUSED, type Terminal, WrongUsage } from '../terminal/command.ts'
import { type CallRoute, findId, makeCall, unread } from '../terminal/service.ts'
import { describeOutput, listOfAnswer, membersOfAnswer, printAnswer, printList } from './answers.ts'
import { type Field, fieldsOf, optionFor, optionOf, readFields } from './options.ts'

/** What is typed for a part of a path, where it is not that part. */
const WORDS: Readonly<Record<string, string>> = {
  ...{ sut_reservation: 'reservation', sut_reservation_series: 'series', sut_request: 'request', create: 'add' },
  password: 'passwd',
}

/** The names of routes of objects below others. */
const NAMES: Readonly<Record<string, string>> = {
  'POST /api/user/:id/token': 'token issue',
  'GET /api/user/:id/token': 'token list',
  'POST /api/user/:id/token/:token/revoke': 'token revoke',
}

/** `sut update` of `/api/sut/:id/update`, `sut show` of `/api/sut/:id`, `sut list` of `/api/sut`. */
const nameOf = ({ method, path }: Route): string => {
  const [resource = '', ...rest] = path.split('/').slice(2)
  const verb = rest.findLast((part) => !part.startsWith(':')) ?? (rest.length > 0 ? 'show' : 'list')
  return NAMES[`${method} ${path}`] ?? [resource, verb].map((part) => WORDS[part] ?? part).join(' ')
}

/**
 * Logins are for browsers, and `me` is whoever asks. Text and streams are what `checkpoint`, `audit key` and `export`
 * read, and `history`, reports and imports take more than a request or print a table.
 */
const hasCommand = ({ path, roles, mediaType }: Route): boolean =>
  path.startsWith('/api/') &&
  roles !== 'anyone' &&
  mediaType === undefined &&
  !/^\/api\/(?:log|report|user\/me)|\/(?:history|import)$/.test(path)

/** Members and parameters that name others. */
const REFERENCES = { sut_id: 'sut', user_id: 'user', actor: 'user' } as const

/** What the arguments of a command become. */
interface Form {
  /** Those that have options. */
  readonly fields: readonly Field[]
  /** Whether the name of what is created is an operand. */
  readonly isNamed: boolean
  /** Whether a password is read, or also made where none is given: then a lost answer does not lose it. */
  readonly password: 'none' | 'read' | 'made'
  readonly needsOption: boolean
}

const formOf = (operation: Route): Form => {
  const all = fieldsOf(operation)
  const members = all.filter(({ place }) => place === 'body')
  const has = (name: string) => members.find(({ member }) => member === name)
  const isNamed = operation.path.endsWith('/create') && has('name')?.isRequired === true
  const isMade = has('password')?.isRequired === true || membersOfAnswer(operation).has('password')
  const others = [has('password'), isNamed ? has('name') : undefined]
  return {
    fields: all.filter((field) => !others.includes(field)),
    isNamed,
    password: has('password') === undefined ? 'none' : isMade ? 'made' : 'read',
    needsOption: members.length > 0 && operation.isBodyOptional !== true,
  }
}

const FROM_STDIN = 'Reads the password from standard input, without one final line break.'
const PASSWORD_NOTES = { read: FROM_STDIN, made: `${FROM_STDIN} Otherwise one is made.` }
const IF_MATCH = { type: 'string', note: 'Only if the revision of its ETag is this one.' } as const
const REASON = { type: 'string', note: 'Why, in up to 200 characters, which the log keeps.' } as const

const optionsOf = (operation: Route, { fields, password }: Form): Readonly<Record<string, Option>> => ({
  ...Object.fromEntries(fields.map((field) => [optionOf(field.member), optionFor(field)])),
  ...(password !== 'none' && { 'password-stdin': { type: 'boolean', note: PASSWORD_NOTES[password] } }),
  ...(operation.isConditional && { 'if-match': IF_MATCH }),
  ...(operation.method === 'POST' && { reason: REASON }),
  json: { type: 'boolean' },
})

/** The password on standard input. @throws CommandFailure if it is not UTF-8, without repeating it */
const readPassword = async ({ stdin }: Pick<Terminal, 'stdin'>): Promise<string> => {
  const bytes = Buffer.from(await stdin())
  if (!isUtf8(bytes)) throw new CommandFailure('the password on standard input is not in UTF-8')
  // `echo` adds a line break.
  return bytes.toString().replace(/\r?\n$/, '')
}

/** The path with the ids that the operands mean. Those of removed users come first where only those will do. */
const placeOf = async (
  { path, refusals = [] }: Route,
  call: CallRoute,
  operands: readonly string[],
): Promise<string> => {
  const [, , resource] = path.split('/')
  const prefersGone = refusals.includes('user_not_removed')
  const [first = '', ...others] = operands
  const isNamed = resource === 'sut' || resource === 'user'
  const ids = path.includes('/:') ? [isNamed ? await findId(call, resource, first, prefersGone) : first, ...others] : []
  return ids.reduce((place, id) => place.replace(/:\w+/, encodeURIComponent(id)), path)
}

const headersOf = ({ 'if-match': revision, reason }: CommandArguments['options']): Record<string, string> => ({
  ...(typeof revision === 'string' && { 'if-match': `"${revision}"` }),
  ...(typeof reason === 'string' && { 'berth-reason': encodeURIComponent(reason) }),
})

/** The request that arguments mean, and the password that was made for it. @throws WrongUsage, CommandFailure */
const readRequest = async (
  operation: Route,
  { fields, isNamed, password, needsOption }: Form,
  call: CallRoute,
  { operands, options }: CommandArguments,
  terminal: Terminal,
) => {
  const missing = fields.find(({ member, isRequired }) => isRequired && options[optionOf(member)] === undefined)
  if (missing !== undefined) throw new WrongUsage(`a --${optionOf(missing.member)} is required`)
  const { query, body } = readFields(fields, options)
  if (isNamed) body.name = operands[0]
  if (options['password-stdin'] === true) body.password = await readPassword(terminal)
  const isMade = password === 'made' && body.password === undefined
  const made = isMade ? makePassword(terminal.randomBytes(PASSWORD_RANDOM_BYTES)) : undefined
  if (made !== undefined) body.password = made
  const hasBody = Object.keys(body).length > 0
  if (needsOption && !hasBody) throw new WrongUsage('an option is required')
  const path = await placeOf(operation, call, operands)
  for (const [member, kind] of Object.entries(REFERENCES)) {
    const [text, typed] = [query.get(member), body[member]]
    if (text !== null) query.set(member, await findId(call, kind, text))
    if (typeof typed === 'string') body[member] = await findId(call, kind, typed)
  }
  const request = { method: operation.method, path, headers: headersOf(options), answer: unread }
  return { request: { ...request, ...(hasBody && { body }) }, query, made }
}

const operandsOf = ({ path }: Route, { isNamed }: Form, name: string): readonly string[] => {
  if (isNamed) return ['NAME']
  const [first, ...others] = path.matchAll(/:(\w+)/g)
  const [kind = ''] = path.startsWith('/api/user/') ? ['user'] : name.split(' ')
  return first === undefined
    ? []
    : [kind, ...others.map(([, parameter = '']) => parameter)].map((each) => each.toUpperCase())
}

const FROM_WHERE =
  'It asks the service on BERTH_DATA, or the one at BERTH_URL. SUTs and users are given by id or by name.'

const commandOf = (operation: Route): Command => {
  const { summary, description } = operation
  const name = nameOf(operation)
  const form = formOf(operation)
  const list = listOfAnswer(operation)
  const [operands, options] = [operandsOf(operation, form, name), optionsOf(operation, form)]
  const required = Object.entries(options).flatMap(([each, { isRequired }]) => (isRequired ? [`--${each} VALUE`] : []))
  const words = description === undefined ? `${summary}.` : `${summary}. ${description}`
  const output = describeOutput(operation, list, form.password === 'made')
  // Only the machine of a service has this route.
  const isLocal = operation === confirmClock
  return {
    name,
    operands,
    options,
    ...(isLocal && { isOfFiles: true }),
    summary: summary.charAt(0).toLowerCase() + summary.slice(1),
    example: [name, ...operands, ...required].join(' '),
    help: [words, `${FROM_WHERE} ${output}`].map((text) => wrap(text, HELP_WIDTH, '')).join('\n'),
    run: async (args, { client, data }, terminal) => {
      const call = makeCall({ data, client: isLocal ? undefined : client }, terminal)
      const { request, query, made } = await readRequest(operation, form, call, args, terminal)
      const isJson = args.options.json === true
      if (list !== undefined) {
        await printList(call, { path: request.path, query }, list, isJson, terminal)
        return DONE
      }
      const answer = await call(query.size > 0 ? { ...request, path: `${request.path}?${query}` } : request)
      printAnswer(answer, operation, { isJson, made }, terminal)
      return answer.reachable === false ? REFUSED : DONE
    },
  }
}

export const operationCommands: readonly Command[] = [...routes.filter(hasCommand), confirmClock].map(commandOf)
